/*
 * finish.c: results get a small schedule and the words of the report. Confirmed is what the stored
 * schedule shows every time: what else an execution depends on (the world, a library that goes by
 * real time) may have had a part in it.
 */
#include "fuzz/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/run_dir.h"
#include "cmd/say.h"
#include "fuzz/asked.h"
#include "fuzz/landmark.h"
#include "fuzz/minimise.h"
#include "fuzz/steps.h"
#include "store/xalloc.h"

static bool frees(const struct sn_finding *f)
{
    for (size_t i = 0; f->kind == SN_KIND_DATA_RACE && i < f->nsites; i++)
        if (f->sites[i].op == SN_OP_FREE)
            return true;
    return false;
}

static void set_words(struct sn_result *r)
{
    struct sn_finding *f = &r->f;
    if (r->confirmed) {
        f->status = SN_CONFIRMED;
        f->has_schedule = true;
    } else if (!f->has_schedule) { /* else an earlier one is in the store */
        f->status = SN_OBSERVED;
    }
    f->harmful = r->harmful;
    if (!r->harmful && frees(f)) { /* the one who frees may as well have been first */
        f->harmful = 1;
        free(f->effect);
        f->effect = sn_xstrdup(
            "use after free: the memory is freed while another thread is about to use it");
    }
    free(f->engine);
    f->engine = sn_xstrdup("fuzz");
    f->hits = r->hits;
}

/* Once more, with counts: the schedule in words of the source. */
static int note_landmarks(struct sn_campaign *c, struct sn_result *r)
{
    struct sn_execution e;
    struct sn_schedule s = r->schedule; /* borrowed */
    if (r->goal.end == SN_END_HANG)
        return 0;
    s.count = true;
    int status = sn_execute(&c->runner, &s, &e);
    if (!status && sn_goal_met(&r->goal, &e)) {
        json_decref(r->landmarks);
        r->landmarks = sn_landmarks_make(&e, &r->goal);
    }
    sn_execution_clear(&e);
    return status;
}

/* As the first execution of `snag replay`: of a program that was started for it, not forked from
 * one that stands at main. */
static int execute_anew(const struct sn_campaign *c, const struct sn_schedule *s,
                        struct sn_execution *e)
{
    struct sn_runner own = c->runner;
    char *why = NULL;
    *e = (struct sn_execution){0};
    own.server = NULL;
    own.no_server = true;
    own.open_dir = NULL;
    if (sn_run_dir_make_quick(NULL, &own.dir, &why) < 0) {
        int status = sn_fail("%s", why);
        free(why);
        return status;
    }
    int status = sn_execute(&own, s, e);
    e->dir = NULL; /* goes with the folder */
    sn_runner_stop(&own);
    sn_run_dir_remove(own.dir);
    free(own.dir);
    return status;
}

/* Whether the result's schedule shows it every time. An endless one takes the whole time limit. One
 * that was shown again before the user wanted it to end is taken at its word. */
static int check(struct sn_campaign *c, const struct sn_result *r, bool *always)
{
    enum { REPEATS = 5 };
    int most = r->goal.end == SN_END_HANG ? 1 : REPEATS, status = 0;
    *always = true;
    for (int i = 0; i < most && *always && !status && !sn_asked(); i++) {
        struct sn_execution e;
        status =
            i == 0 ? execute_anew(c, &r->schedule, &e) : sn_execute(&c->runner, &r->schedule, &e);
        *always = !status && (e.asked_to_stop || sn_goal_met(&r->goal, &e));
        sn_execution_clear(&e);
    }
    return status;
}

/* The smallest schedule that shows it, or the one that was found, if one of them always does. */
static int settle(struct sn_campaign *c, struct sn_result *r, unsigned budget,
                  struct sn_execution *last)
{
    struct sn_schedule found =
        sn_schedule_replay(&r->schedule, r->schedule.entry, r->schedule.nentries);
    int status = sn_minimise(&c->runner, &r->goal, &r->schedule, budget, last);
    r->confirmed = !status;
    if (!status)
        status = check(c, r, &r->confirmed);
    if (!status && !r->confirmed && !sn_asked()) {
        sn_schedule_clear(&r->schedule);
        r->schedule = found;
        found = (struct sn_schedule){0};
        status = check(c, r, &r->confirmed);
    }
    sn_schedule_clear(&found);
    return status == 1 ? 0 : status; /* it does not come again at all */
}

/* The harm may depend on more than the schedule when the race does not. */
static bool claims_less(struct sn_result *r)
{
    if (!r->goal.race || r->goal.end == SN_END_OK)
        return false;
    r->goal.end = SN_END_OK;
    r->harmful = false;
    free(r->f.effect);
    r->f.effect = NULL;
    return true;
}

/* An execution that was too slow once, and not again, shows nothing. */
static bool is_nothing(const struct sn_result *r)
{
    return !r->confirmed && !r->strategy && !r->goal.race && r->goal.end == SN_END_HANG;
}

int sn_campaign_finish(struct sn_campaign *c, unsigned budget)
{
    int status = 0;
    for (size_t i = 0; i < c->n && !status; i++) {
        struct sn_result *r = &c->result[i];
        if (!r->confirmed)
            continue;
        struct sn_execution last = {0};
        status = settle(c, r, r->goal.end == SN_END_HANG ? 2 : budget, &last);
        if (!status && !r->confirmed && !sn_asked() && claims_less(r)) {
            sn_execution_clear(&last);
            status = settle(c, r, budget, &last);
        }
        if (!status && r->confirmed) {
            sn_steps_describe(&c->runner, r, &last);
            status = note_landmarks(c, r);
        }
        sn_execution_clear(&last);
        if (is_nothing(r))
            sn_finding_clear(&r->f);
        else
            set_words(r);
    }
    return status;
}
