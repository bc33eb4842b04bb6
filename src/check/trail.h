/*
 * trail.h: the last visible operations of a run: who did what, in order. A finding shows those of
 * its own threads as the interleaving that leads to it.
 */
#ifndef SN_CHECK_TRAIL_H
#define SN_CHECK_TRAIL_H

#include <stdint.h>

#define SN_TRAIL 256u /* operations kept; older ones are forgotten */

struct sn_trail_op {
    uint32_t task, epoch, pc;
    uint64_t object; /* that it touches; 0 or 1: none in particular */
};

struct sn_trail {
    struct sn_trail_op op[SN_TRAIL];
    uint64_t n; /* in all; the last is op[(n - 1) % SN_TRAIL] */
};

static inline void sn_trail_add(struct sn_trail *t, uint32_t task, uint32_t epoch, uint32_t pc,
                                uint64_t object)
{
    t->op[t->n++ % SN_TRAIL] = (struct sn_trail_op){task, epoch, pc, object};
}

struct sn_vm;
struct sn_issue;
/* Fills the issue's steps: what its threads did last, then its own places in their order. */
void sn_trail_tell(const struct sn_vm *vm, struct sn_issue *i);

#endif
