/* npy_file.c: write headers of .npy files; see npy_file.h. */
#include "support/npy_file.h"

#include <stdio.h>
#include <string.h>

size_t npy_header(unsigned char *bytes, int version, const char *descr, const char *order, const char *shape)
{
    char text[256];
    size_t start = version == 1 ? 10 : 12;
    int length =
        snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, shape);
    while ((start + (size_t)length + 1) % 64 != 0) text[length++] = ' ';
    text[length++] = '\n';
    memset(bytes, 0, start);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[8] = (unsigned char)(length & 255);
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + start, text, (size_t)length);
    return start + (size_t)length;
}
