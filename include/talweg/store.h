/* store.h: storage for the state of a long computation, so that it can resume later with bitwise identical results.
 *
 * A computation puts named blocks of bytes into a store of the caller, and commits them together. At its start it
 * reads the state of an earlier part from the store; the caller must ensure that this part had the same model and
 * options. Files for it: tw_checkpoint (files.h).
 */
#ifndef TALWEG_STORE_H
#define TALWEG_STORE_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A store. The functions are called in the calling thread of the computation. */
typedef struct tw_store {
    void *user;

    /* Should the state be stored now? Called after each temperature, round or iteration. */
    bool (*is_due)(void *user);

    /* Copy a block, replacing the one of that name. */
    void (*put)(void *user, const char *name, size_t bytes, const void *data);

    /* Store the blocks together. */
    void (*commit)(void *user);

    /* A block, aligned for any type and valid until it is put again; NULL and 0 bytes if it does not exist. */
    const void *(*get)(void *user, const char *name, size_t *bytes);
} tw_store;

#ifdef __cplusplus
}
#endif

#endif
