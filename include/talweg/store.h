/* store.h: where a long computation keeps its state, so that it can go on later and give the same to the bit.
 *
 * A computation puts named blocks of bytes into a store that its caller has, and commits them together. When it begins
 * it takes up what the store holds of an earlier part of the same computation; whether it is the same, with the same
 * model and options, is for the caller to know. Files for it: tw_checkpoint (files.h).
 */
#ifndef TALWEG_STORE_H
#define TALWEG_STORE_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A store. The functions are called in the thread that called the computation. */
typedef struct tw_store {
    void *user;
    bool (*is_due)(
        void *user); /* asked after each temperature, round or iteration: is the state wanted now? */
    void (*put)(void *user, const char *name, size_t bytes, const void *data); /* copy a block, in place of
                                                                                  the one of that name */
    void (*commit)(void *user); /* the blocks belong together: keep them */
    const void *(*get)(void *user, const char *name,
                       size_t *bytes); /* a block, aligned for any type and valid
                                                                        until it is put again; NULL, and 0
                                                                        bytes: there is none */
} tw_store;

#ifdef __cplusplus
}
#endif

#endif
