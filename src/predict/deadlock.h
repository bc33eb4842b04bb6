/*
 * deadlock.h: what could deadlock: cycles of threads, each about to take a lock that the next one
 * holds (Goodlock, with gate locks). Like pairs.h for races: groups of requests, one question per
 * cycle of groups.
 */
#ifndef SN_PREDICT_DEADLOCK_H
#define SN_PREDICT_DEADLOCK_H

#include "predict/causal.h"

/* Requests of one thread at one site for one lock with the same locks held. */
struct sn_request {
    const uint32_t *event; /* in program order */
    uint32_t n;
    uint32_t thread, site, lock;
    uint32_t lockset, sure; /* held; held for sure */
    bool shared;
};

struct sn_cycle {
    const struct sn_request *request[SN_MAX_MEET];
    uint32_t n;
    uint64_t key; /* of the sites */
};

/* Deterministic order; at most SN_MAX_CYCLES of them. Returns false when there were more. */
#define SN_MAX_CYCLES 10000
bool sn_cycles_each(const struct sn_model *m, uint32_t (*site_key)(void *key_arg, uint32_t site),
                    void *key_arg, void (*visit)(void *arg, const struct sn_cycle *c), void *arg);

#endif
