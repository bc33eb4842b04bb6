/* finish.c: confirmed results get a small schedule and the words of the report. */
#include "fuzz/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/minimise.h"
#include "fuzz/steps.h"
#include "store/xalloc.h"

static void set_words(struct sn_result *r)
{
    struct sn_finding *f = &r->f;
    f->status = SN_CONFIRMED;
    f->harmful = r->harmful;
    f->has_schedule = r->schedule.strategy[0] != 0;
    free(f->engine);
    f->engine = sn_xstrdup("fuzz");
    f->hits = r->hits;
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
        }
        sn_execution_clear(&last);
        set_words(r);
    }
    return status;
}
