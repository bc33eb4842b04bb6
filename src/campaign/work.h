/*
 * work.h: a plan at work: which units are done, what they found so far, how long it will take.
 * Every engine (local.c, parallel.c, slurm.c) runs the unit files of what is missing; whether a
 * unit is done is seen in out/ alone, so an engine can be stopped at any time and another one go
 * on.
 */
#ifndef SN_CAMPAIGN_WORK_H
#define SN_CAMPAIGN_WORK_H

#include <jansson.h>

#include "campaign/plan.h"
#include "campaign/unit.h"
#include "cmd/words.h"

struct sn_work {
    const struct sn_plan *plan;
    enum sn_unit_state *state; /* of each unit */
    size_t done;
    json_t *keys;       /* of findings that are more than candidates; the values mean nothing */
    double began_s;     /* when this command began to run units */
    size_t done_before; /* units that were done then */
    bool show;          /* a progress line; on a terminal it is written over itself */
    size_t shown;       /* its length */

    /* What the user asked for. */
    int64_t jobs; /* at once; 0: the engine's own choice */
    const char *snag;
    const char *sshlogin;        /* file for parallel --sshloginfile */
    struct sn_words remote;      /* more options for parallel or sbatch */
    bool carry;                  /* no shared folder */
    bool carry_libraries;        /* nor snag's shared libraries there */
    int64_t throttle;            /* tasks of an array at once; 0: Slurm's choice */
    bool no_wait;                /* submit and return */
    struct sn_words merge_words; /* how this command would merge, for a job that does it */
};

void sn_work_init(struct sn_work *w, const struct sn_plan *p);
void sn_work_clear(struct sn_work *w);

/* Looks at all units anew. Stores that are not whole are named and removed, so that their units are
 * run again. Returns how many are missing. */
size_t sn_work_look(struct sn_work *w);
/* Looks at one unit after it ended; true when it is done. */
bool sn_work_look_at(struct sn_work *w, size_t unit);
/* Looks at stores that have come since, and shows the progress. */
void sn_work_look_for_new(struct sn_work *w);
/* Shows units done, findings so far, time left. */
void sn_work_progress(struct sn_work *w);
void sn_work_progress_end(struct sn_work *w);
/* Removes what attempts that ended left in out/. */
void sn_work_tidy(const struct sn_work *w);
/* Whether the time budget is used up. */
bool sn_work_is_late(const struct sn_work *w);
/* The last line of fail/NNNN, null when there is none. malloc. */
char *sn_work_why(const struct sn_plan *p, size_t unit);

/* Engines. 0 when all was tried; else the exit status, after a message. */
int sn_local_run(struct sn_work *w);
int sn_parallel_run(struct sn_work *w);
int sn_slurm_submit(struct sn_work *w);
int sn_slurm_wait(struct sn_work *w); /* for the jobs and for the one that merges */

#endif
