/*
 * trapset.h: the pairs of places that earlier runs left over, as the runtime reads them: a file in
 * the run folder with an array of struct sn_trapset_pair.
 */
#ifndef SN_CORE_TRAPSET_H
#define SN_CORE_TRAPSET_H

#include <stdint.h>

#define SN_TRAPSET_FILE "traps.bin"
#define SN_TRAPSET_MAX 4096 /* pairs */

/* A call of `call` whose return address minus one is in [low, high) of the module. */
struct sn_trapset_place {
    char module[64]; /* base name of its file, with its zero */
    char call[64];
    uint64_t low, high; /* ELF virtual addresses */
};

struct sn_trapset_pair {
    struct sn_trapset_place a, b;
    uint64_t quiet; /* 1: an earlier run found it ordered, or delayed in vain: suspect it less */
};

/* A pair without modules is none: a.call is "LIBRARY STATE", hidden state that several threads used
 * in an earlier run, so that its readers are of interest from the start. */

#endif
