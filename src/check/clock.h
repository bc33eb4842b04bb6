/*
 * clock.h: vector clocks of simulated threads, and the arena that everything of one run comes from.
 *
 * Ownership: the arena owns all clocks; sn_arena_reset() ends their lives together.
 */
#ifndef SN_CHECK_CLOCK_H
#define SN_CHECK_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct sn_arena {
    struct sn_arena_chunk *first, *now;
    size_t used;
};

void *sn_arena_take(struct sn_arena *a, size_t bytes); /* zeroed, 16-byte aligned */
void sn_arena_reset(struct sn_arena *a);
void sn_arena_free(struct sn_arena *a);

/* An epoch is a task and its time: 10 and 22 bits. 0 is no epoch. */
#define SN_EPOCH_BITS 22
#define SN_EPOCH_TIME ((1u << SN_EPOCH_BITS) - 1)
#define SN_TASKS_MAX 1024
#define SN_EPOCH(task, time) ((uint32_t)(task) << SN_EPOCH_BITS | (time))

struct sn_clock {
    uint32_t n, cap;
    uint32_t *at; /* time of each task that is known here */
};

static inline uint32_t sn_clock_get(const struct sn_clock *c, uint32_t task)
{
    return task < c->n ? c->at[task] : 0;
}

/* Whether what happened in that epoch happened before the owner of the clock's present. */
static inline int sn_clock_knows(const struct sn_clock *c, uint32_t epoch)
{
    return (epoch & SN_EPOCH_TIME) <= sn_clock_get(c, epoch >> SN_EPOCH_BITS);
}

void sn_clock_set(struct sn_arena *a, struct sn_clock *c, uint32_t task, uint32_t time);
void sn_clock_join(struct sn_arena *a, struct sn_clock *to, const struct sn_clock *from);
void sn_clock_copy(struct sn_arena *a, struct sn_clock *to, const struct sn_clock *from);

#endif
