/* npy_file.h: .npy files for tests, written without the reader's code. */
#ifndef TALWEG_TESTS_NPY_FILE_H
#define TALWEG_TESTS_NPY_FILE_H

#include <stddef.h>

/* Write a header of the given version into bytes: descr and shape as in Python ("'<f8'", "(3, 4)"), order
 * "True" or "False". Returns its length, the offset of the numbers. */
size_t npy_header(unsigned char *bytes, int version, const char *descr, const char *order, const char *shape);

#endif
