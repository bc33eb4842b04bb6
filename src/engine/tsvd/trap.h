/* trap.h: a trap: who stands before which call on which object, while it is delayed. */
#ifndef SN_TSVD_TRAP_H
#define SN_TSVD_TRAP_H

#include "tsvd.h"

struct sn_trap {
    struct sn_touch touch;
    struct sn_thread *thread;
    uint32_t number, point;
    uint32_t where;  /* call stack */
    uint32_t caught; /* conflicts that this trap led to; under the bucket's lock */
    uintptr_t frame; /* of a long call that is under way; 0: a delay */
    struct sn_trap *next;
};

/* delay.c */
bool sn_delay_is_hopeless(const struct sn_thread *t, int action); /* nobody would be caught */
/* Processor time of the process; the machine is busy, so that it had next to none since then. */
uint64_t sn_delay_cpu_ns(void);
bool sn_delay_is_starved(const struct sn_thread *t, uint64_t cpu_before);
bool sn_delay_somebody_begins(const struct sn_thread *t);
void sn_delay_sleep(const struct sn_thread *t, uint64_t end_ns, struct sn_trap *const *trap,
                    uint32_t n);

#endif
