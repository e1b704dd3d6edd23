/* seal.h: a checksum after the end of a NetCDF file.
 *
 * HDF5 may crash on a damaged file, because it trusts what it reads. Therefore a run file ends in a seal of
 * 24 bytes,
 *
 *   "twseal02", the length of the file before it, the checksum of that (seal.c)
 *
 * which HDF5 ignores, and which is checked before HDF5 reads the file. A program that adds to the file drops
 * the seal; such a file is read without the check.
 */
#ifndef TALWEG_OUTPUT_RUN_SEAL_H
#define TALWEG_OUTPUT_RUN_SEAL_H

#include <stdio.h>

#include "output/writer.h"

/* Seal the complete file under the writer's temporary name. */
tw_status tw_seal_put(tw_writer *writer);

/* TW_BAD_DATA if the file has a seal that does not match. */
tw_status tw_seal_check(tw_context *ctx, FILE *file);

#endif
