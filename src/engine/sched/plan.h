/*
 * plan.h: what the command wants of an execution: RUN_DIR/plan, lines of words:
 *
 * | strategy NAME                 |
 * | points sync, sites, all, seen |
 * | site MODULE OFFSET            | a statement: return address in the module, hexadecimal
 * | tell 1                        | the events themselves go to the run file: SN_SCHED_STEPS
 * | depth N, steps N              | pct: depth of the bug, expected length
 * | turn THREAD NTH MODULE OFFSET | order: it runs until it stands before the NTH execution of the
 * |                               | statement from where it is; then comes the next turn
 * | turn THREAD 0                 | the same, until it ends or has to wait
 * | before MODULE OFFSET          | order: nobody executes the second statement before another
 * |        MODULE OFFSET          | thread has executed the first
 * | stops after                   | turns end after an unlock, as decisions do, not before it
 * | count                         | the log says of each stop the how manieth time it was there
 * | bound N, prefix N             | dfs: preemptions; decisions that are made before the search
 * | sleep THREAD BUDGET N         | dfs: a sleeper and the N objects that it would touch
 * |   ADDR SIZE WRITE ...         |
 * | e KIND THREAD COUNT NEXT      | a decision to follow (log.h), sorted by thread and count; in a
 * |   OFFSET [PROCESS]            | process that the program has forked: in which
 *
 * Without the file: strategy random, points at synchronisation only.
 */
#ifndef SN_ENGINE_SCHED_PLAN_H
#define SN_ENGINE_SCHED_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"

enum sn_points {
    SN_POINTS_SYNC,
    SN_POINTS_SITES,
    SN_POINTS_ALL,
    SN_POINTS_SEEN, /* as SYNC, and every statement that ran is told: SN_SCHED_SEEN */
};

struct sn_plan_entry {
    uint8_t kind; /* enum sn_log_kind */
    uint32_t thread, count, next, process;
    uint64_t offset; /* of the site in its module; 0 not known */
};

struct sn_plan_turn {
    uint32_t thread, nth; /* nth 0: until the thread ends */
    uintptr_t pc;
    uint32_t over; /* the thread has come to its end */
};

struct sn_plan_before {
    uintptr_t first, then;
    uint32_t done; /* 1 + number of the thread that executed `first`; 0 nobody yet */
};

struct sn_plan {
    char strategy[16];
    uint8_t points; /* enum sn_points */
    uint8_t tell;
    uint32_t depth;
    uint64_t steps;
    uintptr_t *site; /* addresses */
    uint32_t nsites;
    struct sn_plan_entry *entry;
    uint32_t nentries;
    struct sn_plan_turn *turn;
    uint32_t nturns;
    struct sn_plan_before *before;
    uint8_t after, count;
    uint32_t bound, prefix;
    struct sn_sleeper *sleeper;
    uint32_t nsleepers;
    uint32_t nbefores;
};

extern struct sn_plan sn_plan;
/* By (pc >> 0) mod its size: may pc be a site? 1 everywhere when every access is a point. */
#define SN_PLAN_FILTER 4096
extern uint8_t sn_plan_filter[SN_PLAN_FILTER];

void sn_plan_read(void); /* from the run folder, if it is there */
/* bytes, and a zero behind them. What an earlier plan said is forgotten. */
void sn_plan_take(const char *text, size_t bytes);
/* Memory far from the program's: how long a plan is must not change where the program's lies.
 * Shared: with the processes that are forked from here on. */
void *sn_plan_map(size_t bytes, bool shared);
bool sn_plan_is_site(uintptr_t pc);
/* This process's decision at that point of that thread, of that kind (PREEMPT also finds FORCED);
 * or null. */
const struct sn_plan_entry *sn_plan_find(uint32_t kind, uint32_t thread, uint32_t count);

#endif
