/* recorder.h: the recorder of the stand-alone guard: the engine's, but in the main program's
 * module, from where libraries use it. */
#ifndef SN_SA_RECORDER_H
#define SN_SA_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/guard/recorder.h"

enum {
    SN_SA_COLOURS = 64,
    SN_SA_SCALE = sizeof(sn_rec_word) / SN_REC_GRAIN, /* bytes of the recorder for one of memory */
};

struct sn_sa_state {
    uintptr_t *dir;  /* null: not known yet */
    uintptr_t *fast; /* the same, unless something is coloured: then null */
    uint32_t ncolours;
    struct {
        uintptr_t low, high;
        uint64_t group;
    } colour[SN_SA_COLOURS];
    sn_rec_word coloured[SN_SA_COLOURS];
};

extern struct sn_sa_state *sn_sa_shared; /* null: not known yet */
struct sn_sa_state *sn_sa_find(void);    /* finds it; null: no memory */
sn_rec_word *sn_sa_map(uintptr_t *dir, uintptr_t addr);
sn_rec_word *sn_sa_coloured(const struct sn_sa_state *s, uintptr_t addr);
/* Memory is new: nobody has accessed it yet. Costs little where nothing was recorded: for every 64
 * bytes of the program a byte tells whether any of their words is in use. */
void sn_sa_forget(uintptr_t addr, uint64_t size);
void sn_sa_mark(uintptr_t addr); /* a word is in use that was not */
/* Words that are worth a huge page; null: none, or they have it. They get it before the next record
 * is made, not between a record and its access. */
extern void *sn_sa_crowded;
void sn_sa_gather(void);
size_t sn_sa_usable(void *p); /* bytes of a block (memory.c) */
/* What the loader would have found next under a name that the program has now; null: nothing. */
void *sn_sa_next(const char *name);

/* The word of an address whose region is mapped. */
static inline sn_rec_word *sn_sa_in_region(uintptr_t bias, uintptr_t addr)
{
    return (sn_rec_word *)(bias + SN_SA_SCALE * (addr & ~(uintptr_t)(SN_REC_GRAIN - 1)));
}

static inline sn_rec_word *sn_sa_word(uintptr_t addr)
{
    struct sn_sa_state *s = sn_sa_shared;
    sn_rec_word *w;
    if (__builtin_expect(!s, 0) && !(s = sn_sa_find()))
        return 0;
    if (__builtin_expect(s->ncolours != 0, 0) && (w = sn_sa_coloured(s, addr)))
        return w;
    uintptr_t bias = s->dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
    if (__builtin_expect(!bias, 0))
        return sn_sa_map(s->dir, addr);
    return sn_sa_in_region(bias, addr);
}

#endif
