/*
 * tasks.h: what the other threads of the process are doing, asked of the kernel. Freestanding: also
 * part of the runtime that `snag guard build` puts into programs.
 */
#ifndef SN_GUARD_TASKS_H
#define SN_GUARD_TASKS_H

#include <stdint.h>

struct sn_tasks {
    uint32_t may_come; /* some other thread runs, or waits for the world */
    uint32_t for_me;   /* some thread waits for a mutex of this one */
    uint64_t running;  /* sum of the numbers of the threads that could run */
    uint64_t ran_ns;   /* processor time of these, so far */
};

void sn_tasks_look(uint32_t me, struct sn_tasks *out);
/* The thread whose number has these low bits; 0: none. */
uint32_t sn_tasks_find(uint32_t low, uint32_t mask);
int sn_tasks_runs(uint32_t tid); /* it runs, or would if it got a processor */

/* Until thread `tid` has run, or sleeps: what it was about to do is done then. An access follows
 * its record at once, but the kernel may take the processor away right between the two, and whoever
 * was stalled for that access would come too early. */
void sn_tasks_settle(uint32_t tid, uint64_t step_us);

/* Between the two looks the threads that could run did not get a processor: the time does not
 * count. */
static inline int sn_tasks_starved(const struct sn_tasks *a, const struct sn_tasks *b, uint64_t us)
{
    return a->running && a->running == b->running && b->ran_ns - a->ran_ns < us * 1000 / 8;
}

#endif
