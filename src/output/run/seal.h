/* seal.h: a checksum behind the end of a NetCDF file.
 *
 * HDF5 does not survive every damaged file: it believes what it reads. So a file of ours ends in a seal of 24 bytes,
 *
 *   "twseal02", the length of the file in front of it, the checksum of that (journal.c)
 *
 * which HDF5 does not look at, and is compared before HDF5 sees the file. A program that adds to the file drops the
 * seal, and the file is then read without.
 */
#ifndef TALWEG_OUTPUT_RUN_SEAL_H
#define TALWEG_OUTPUT_RUN_SEAL_H

#include <stdio.h>

#include "output/writer.h"

/* Seal a file that somebody wrote under the writer's temporary name. */
tw_status tw_seal_put(tw_writer *writer);

/* TW_BAD_DATA where the file has a seal and is not what it was. */
tw_status tw_seal_check(tw_context *ctx, FILE *file);

#endif
