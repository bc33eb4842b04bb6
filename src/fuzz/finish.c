/* finish.c: confirmed results get a small schedule and the words of the report. */
#include "fuzz/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "fuzz/landmark.h"
#include "fuzz/minimise.h"
#include "store/xalloc.h"
#include "symbol/symbol.h"

enum { MAX_STEPS = 40 };

static void place(struct sn_symboliser *sy, const struct sn_execution *e, uint64_t frame,
                  struct sn_frame *out)
{
    struct sn_stack stack = {0};
    unsigned module, i = SN_FRAME_MODULE(frame);
    if (i >= e->nmodules || !e->module[i] ||
        sn_symbol_module(sy, e->module[i], NULL, 0, &module) < 0)
        return;
    sn_symbol_code(sy, module, SN_FRAME_OFFSET(frame), true, &stack);
    if (stack.n)
        sn_frame_copy(out, &stack.frame[0]);
    sn_stack_clear(&stack);
}

static char *words_of(const struct sn_log_entry *e)
{
    const char *op = sn_event_name((enum sn_event_op)e->op);
    if (e->op == SN_EV_END)
        return sn_xstrdup("ends");
    if (e->op == SN_EV_UNLOCK || e->op == SN_EV_RDUNLOCK || e->op == SN_EV_CREATE)
        return sn_xformat("stops after %s", op);
    return sn_xformat(e->kind == SN_LOG_FORCED ? "waits in %s" : "stops before %s", op);
}

static struct sn_step *add_step(struct sn_finding *f)
{
    f->steps = sn_xrealloc(f->steps, f->nsteps + 1, sizeof *f->steps);
    struct sn_step *s = &f->steps[f->nsteps++];
    *s = (struct sn_step){0};
    return s;
}

static void clear_steps(struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsteps; i++) {
        free(f->steps[i].what);
        free(f->steps[i].at.function);
        free(f->steps[i].at.file);
        free(f->steps[i].at.module);
    }
    free(f->steps);
    f->steps = NULL;
    f->nsteps = 0;
}

/* Where each thread stopped, in the order of time; of a long one the end. */
static void describe(struct sn_result *r, const struct sn_execution *e)
{
    struct sn_symboliser *sy = sn_symboliser_new();
    size_t from = e->nlog > MAX_STEPS ? e->nlog - MAX_STEPS : 0;
    clear_steps(&r->f);
    for (size_t i = from; i < e->nlog; i++) {
        const struct sn_log_entry *entry = &e->log[i];
        if (entry->kind != SN_LOG_PREEMPT && entry->kind != SN_LOG_FORCED)
            continue;
        struct sn_step *step = add_step(&r->f);
        step->thread = entry->thread;
        step->what = words_of(entry);
        place(sy, e, entry->site, &step->at);
    }
    sn_symboliser_free(sy);
}

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
            describe(r, &last);
            status = note_landmarks(c, r);
        }
        sn_execution_clear(&last);
        set_words(r);
    }
    return status;
}
