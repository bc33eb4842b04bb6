/*
 * schedule.h: a schedule as the command knows it: which strategy decides, at which statements, and
 * which decisions are given. As text it is the plan that the engine reads (engine/sched/plan.h),
 * and that the store keeps.
 *
 * Ownership: a struct sn_schedule owns its sites and decisions.
 */
#ifndef SN_FUZZ_SCHEDULE_H
#define SN_FUZZ_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sched/log.h"

struct sn_code_site {
    char *module; /* base name */
    uint64_t offset;
};

/* The thread runs until it stands before `at` for the nth time from where it is; nth 0: until it
 * ends. */
struct sn_turn {
    uint32_t thread, nth;
    struct sn_code_site at;
};

/* Another thread executes `first` before anybody executes `then`. */
struct sn_before {
    struct sn_code_site first, then;
};

struct sn_schedule {
    char strategy[16];
    char points[8]; /* sync, sites, all */
    struct sn_code_site *site;
    size_t nsites;
    struct sn_turn *turn; /* strategy order: who runs how far, one after the other */
    size_t nturns;
    struct sn_before *before; /* strategy order without turns */
    size_t nbefores;
    struct sn_log_entry *entry;
    size_t nentries;
    bool stops_after, count; /* see engine/sched/plan.h */
    unsigned depth;
    struct sn_sleeper *sleeper; /* strategy dfs, with prefix and bound: never stored */
    size_t nsleepers, prefix;
    uint32_t bound;
    bool tell; /* the events themselves are wanted; never stored */
    uint64_t steps;
    int64_t seed;
};

void sn_schedule_add_site(struct sn_schedule *s, const char *module, uint64_t offset);
/* Both make s one of strategy `order`, with its places as sites. module is null when nth is 0. */
void sn_schedule_add_turn(struct sn_schedule *s, uint32_t thread, uint32_t nth, const char *module,
                          uint64_t offset);
void sn_schedule_add_before(struct sn_schedule *s, const struct sn_code_site *first,
                            const struct sn_code_site *then);
/* A copy of `like` that replays these decisions. */
struct sn_schedule sn_schedule_replay(const struct sn_schedule *like,
                                      const struct sn_log_entry *entry, size_t n);
void sn_schedule_clear(struct sn_schedule *s);
char *sn_schedule_to_text(const struct sn_schedule *s);             /* malloc */
int sn_schedule_from_text(const char *text, struct sn_schedule *s); /* 0 or -EINVAL */
/* Decisions at which a thread that could go on did not. */
size_t sn_schedule_preemptions(const struct sn_schedule *s);

#endif
