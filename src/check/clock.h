/*
 * clock.h: vector clocks of simulated threads, and the arena that everything of one run comes from.
 *
 * Ownership: the arena owns all clocks; sn_run_arena_reset() ends their lives together.
 */
#ifndef SN_CHECK_CLOCK_H
#define SN_CHECK_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct sn_run_arena {
    struct sn_run_arena_chunk *first, *now;
    size_t used;
};

void *sn_run_arena_take(struct sn_run_arena *a, size_t bytes); /* zeroed, 16-byte aligned */
void sn_run_arena_reset(struct sn_run_arena *a);
void sn_run_arena_free(struct sn_run_arena *a);

/* An epoch is a task and its time: 10 and 22 bits. 0 is no epoch. */
#define SN_EPOCH_BITS 22
#define SN_EPOCH_TIME ((1u << SN_EPOCH_BITS) - 1)
#define SN_TASKS_MAX 1024
#define SN_EPOCH(task, time) ((uint32_t)(task) << SN_EPOCH_BITS | (time))

struct sn_vclock {
    uint32_t n, cap;
    uint32_t *at; /* time of each task that is known here */
};

static inline uint32_t sn_vclock_get(const struct sn_vclock *c, uint32_t task)
{
    return task < c->n ? c->at[task] : 0;
}

/* Whether what happened in that epoch happened before the owner of the clock's present. */
static inline int sn_vclock_knows(const struct sn_vclock *c, uint32_t epoch)
{
    return (epoch & SN_EPOCH_TIME) <= sn_vclock_get(c, epoch >> SN_EPOCH_BITS);
}

void sn_vclock_set(struct sn_run_arena *a, struct sn_vclock *c, uint32_t task, uint32_t time);
void sn_vclock_join(struct sn_run_arena *a, struct sn_vclock *to, const struct sn_vclock *from);
void sn_vclock_copy(struct sn_run_arena *a, struct sn_vclock *to, const struct sn_vclock *from);

#endif
