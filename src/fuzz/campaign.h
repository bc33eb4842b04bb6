/*
 * campaign.h: many executions of one program: directed at candidates, then at large; what they show
 * is a list of results, each with a schedule that shows it again.
 *
 * Ownership: a campaign owns its results; a result owns its finding and schedule.
 */
#ifndef SN_FUZZ_CAMPAIGN_H
#define SN_FUZZ_CAMPAIGN_H

#include <stdio.h>

#include "fuzz/goal.h"
#include "fuzz/pool.h"
#include "store/finding.h"

struct sn_result {
    struct sn_finding f;
    struct sn_goal goal;            /* names borrowed from f */
    struct sn_schedule schedule;    /* replays it; strategy "" when there is none */
    const char *strategy;           /* directed at f; null: found on the way */
    const struct sn_schedule *hint; /* tried first: another engine's witness; null: none */
    uint64_t signature;             /* found on the way: as the execution has it */
    int64_t tries, hits, bad;
    int64_t counted; /* the execution that showed it last */
    double seconds;
    bool confirmed, harmful; /* confirmed: shown; from sn_campaign_finish() on: always */
    json_t *landmarks; /* the schedule in words of the source (landmark.h); null: none */
};

struct sn_campaign {
    struct sn_runner runner;
    struct sn_pool pool; /* runner and, for --jobs, others like it */
    int64_t schedules;   /* for each candidate, and for each strategy at large */
    double limit_s;      /* for each candidate, and for each strategy at large */
    double end_s;        /* by sn_campaign_clock(): then it is over; 0 never */
    int64_t seed;
    unsigned depth;     /* of pct; 0: the usual */
    const char *points; /* at large; null: by the strategy */
    bool stop_on_first, progress;
    FILE *decisions; /* every execution's are written there; null: not wanted */
    struct sn_result *result;
    size_t n, cap;
    uint64_t *known; /* signatures that have been looked at */
    size_t nknown;
    int64_t executions, failures;
    int64_t redundant; /* dfs: executions that ended early, since the rest was known */
    bool exhausted;    /* dfs: there is nothing left within the bound */
    uint64_t steps; /* of the longest execution so far */
    bool instrumented, watched;
};

double sn_campaign_clock(void); /* seconds since some beginning */
/* Takes f over when it can be aimed at (two code positions, of a kind that a strategy knows). */
bool sn_campaign_add(struct sn_campaign *c, struct sn_finding *f);
/* All: 0, or an exit status after a message. */
int sn_campaign_directed(struct sn_campaign *c);
int sn_campaign_at_large(struct sn_campaign *c, const char *strategy, const char *points);
void sn_campaign_clear(struct sn_campaign *c);

/* What the program does when no thread is ever interrupted counts as its usual behaviour, when it
 * does that without a scheduler too: free_end is its status then, -1 not known. */
int sn_campaign_learn_usual_end(struct sn_campaign *c, int free_end);

/* finish.c: minimises the schedules of confirmed results and describes them. Those that do not come
 * again are confirmed no more, but observed; f is empty when it shows nothing. */
int sn_campaign_finish(struct sn_campaign *c, unsigned budget);
/* save.c: the schedules of finished results, into the store (null: nothing to do). */
struct sn_store;
int sn_campaign_save(const struct sn_campaign *c, struct sn_store *store, const char *program);

/* For dfs.c: counts an execution, takes in what it found. */
void sn_campaign_took(struct sn_campaign *c, const struct sn_schedule *s, struct sn_execution *e,
                      struct sn_result *aim);
struct sn_pool *sn_campaign_pool(struct sn_campaign *c);
bool sn_campaign_goes_on(const struct sn_campaign *c); /* nobody has asked to stop, there is time */
int sn_campaign_dfs(struct sn_campaign *c, const char *points, unsigned bound);

#endif
