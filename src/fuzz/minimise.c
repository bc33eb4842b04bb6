/*
 * minimise.c: delta debugging over preemptions. Decisions are named by events, so one can be left
 * out and the others still mean what they meant; what the execution then really decided is the next
 * schedule to look at.
 */
#include "fuzz/minimise.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/asked.h"
#include "store/xalloc.h"

enum { ATTEMPTS = 5 };

struct search {
    struct sn_runner *r;
    const struct sn_goal *g;
    struct sn_schedule *s;
    struct sn_execution *last;
    unsigned budget;
    int failed; /* exit status; 0 none */
};

/* s without its preemptions number from … from + n - 1. */
static struct sn_schedule without(const struct sn_schedule *s, size_t from, size_t n)
{
    struct sn_log_entry *kept = sn_xcalloc(s->nentries, sizeof *kept);
    size_t nkept = 0, seen = 0;
    for (size_t i = 0; i < s->nentries; i++) {
        bool preempts = s->entry[i].kind == SN_LOG_PREEMPT;
        if (!preempts || seen < from || seen >= from + n)
            kept[nkept++] = s->entry[i];
        seen += preempts;
    }
    struct sn_schedule less = sn_schedule_replay(s, kept, nkept);
    free(kept);
    return less;
}

/* Executes `try`; true when it meets the goal: then it, as it really went, is the schedule. */
static bool better(struct search *f, struct sn_schedule *try, bool first)
{
    struct sn_execution e;
    f->budget--;
    f->failed = sn_execute(f->r, try, &e);
    bool good = !f->failed && !e.asked_to_stop && sn_goal_met(f->g, &e);
    struct sn_schedule real = {0};
    if (good) {
        real = sn_schedule_replay(f->s, e.log, e.nlog);
        good = first || sn_schedule_preemptions(&real) < sn_schedule_preemptions(f->s);
    }
    if (!good) {
        sn_schedule_clear(&real);
        sn_execution_clear(&e);
        return false;
    }
    sn_schedule_clear(f->s);
    *f->s = real;
    sn_execution_clear(f->last);
    *f->last = e;
    return true;
}

static bool goes_on(const struct search *f)
{
    return f->budget && !f->failed && !sn_asked();
}

static void shrink(struct search *f)
{
    for (size_t size = sn_schedule_preemptions(f->s); size && goes_on(f);) {
        bool any = false;
        for (size_t from = 0; from < sn_schedule_preemptions(f->s) && goes_on(f);) {
            struct sn_schedule less = without(f->s, from, size);
            bool gone = better(f, &less, false);
            sn_schedule_clear(&less);
            any |= gone;
            if (!gone)
                from += size;
        }
        if (!any || size > sn_schedule_preemptions(f->s))
            size /= 2;
    }
}

int sn_minimise(struct sn_runner *r, const struct sn_goal *g, struct sn_schedule *s,
                unsigned budget, struct sn_execution *last)
{
    struct search f = {r, g, s, last, budget, 0};
    *last = (struct sn_execution){0};
    struct sn_schedule same = sn_schedule_replay(s, s->entry, s->nentries);
    bool again = false; /* what the world does may differ from time to time */
    for (int i = 0; i < ATTEMPTS && !again && goes_on(&f); i++)
        again = better(&f, &same, true);
    sn_schedule_clear(&same);
    if (again)
        shrink(&f);
    return f.failed ? f.failed : again ? 0 : 1;
}
