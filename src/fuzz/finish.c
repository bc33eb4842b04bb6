/* finish.c: confirmed results get a small schedule and the words of the report. */
#include "fuzz/campaign.h"

#include <stdlib.h>
#include <string.h>

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
    f->status = SN_CONFIRMED;
    f->harmful = r->harmful;
    f->has_schedule = r->schedule.strategy[0] != 0;
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

int sn_campaign_finish(struct sn_campaign *c, unsigned budget)
{
    int status = 0;
    for (size_t i = 0; i < c->n && !status; i++) {
        struct sn_result *r = &c->result[i];
        if (!r->confirmed)
            continue;
        struct sn_execution last = {0};
        unsigned most = r->goal.end == SN_END_HANG ? 2 : budget;
        status = sn_minimise(&c->runner, &r->goal, &r->schedule, most, &last);
        if (status == 1) { /* it does not come again: then there is nothing to replay */
            sn_schedule_clear(&r->schedule);
            status = 0;
        } else if (!status) {
            sn_steps_describe(&c->runner, r, &last);
            status = note_landmarks(c, r);
        }
        sn_execution_clear(&last);
        set_words(r);
    }
    return status;
}
