/*
 * site.h: the static instructions of the paper: one record for each place of the program that
 * accesses memory, found by its return address. Records are never given back.
 */
#ifndef SN_GUARD_SITE_H
#define SN_GUARD_SITE_H

#include <stdint.h>

#include "word.h"

enum { SN_SITE_UNSEEN = UINT32_MAX };

struct sn_guard_site {
    uintptr_t pc;
    uint32_t id;         /* what the recorder has; guard: 0 when nothing is to be done here */
    uint32_t flags;      /* enum sn_inv_flag */
    const uint32_t *set; /* guard: its belonging set, sorted */
    uint32_t nset;
    uint32_t last_remote, last_local; /* learn: seen last; hints, relaxed */
    uint32_t lock_told;               /* learn: its first lock was told; relaxed */
    uint32_t enters;                  /* learn: another thread came right before; relaxed */
    uint64_t *count;                  /* learn: in the run file; null: none */
    uint32_t stalls;                  /* expose: times it was stalled; relaxed */
    uint32_t how;                     /* enum sn_touch of its last access; relaxed */
};

void sn_site_init(void); /* before the first access */
/* Null: too many (counted). */
struct sn_guard_site *sn_site_get(uintptr_t pc);
struct sn_guard_site *sn_site_by_id(uint32_t id); /* null: none has that number (yet) */
void sn_site_forked(void);                        /* the child's run file needs its own counts */

#endif
