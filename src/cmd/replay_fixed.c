/*
 * replay_fixed.c: is it fixed? A fix moves the bug's schedule, so not one schedule is tried but a
 * family: the old one by its decisions; the old one by its places, with a different end each time;
 * both with some left out; executions directed at the old places; and executions at random. Any bad
 * end counts, and the race itself does.
 */
#include "cmd/replay_fixed.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/say.h"
#include "store/xalloc.h"

enum { KINDS = 6 }; /* of members of the family, in turn */

static uint64_t mix(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static void set(struct sn_schedule *s, const char *strategy, const char *points)
{
    snprintf(s->strategy, sizeof s->strategy, "%s", strategy);
    snprintf(s->points, sizeof s->points, "%s", points);
}

static void add_sites(struct sn_schedule *s, const struct sn_schedule *like)
{
    for (size_t i = 0; i < like->nsites; i++)
        sn_schedule_add_site(s, like->site[i].module, like->site[i].offset);
}

/* The old schedule; member 0 is it exactly, the others leave out every eighth turn or so. */
static void copy_turns(struct sn_schedule *s, const struct sn_schedule *like, int64_t member)
{
    add_sites(s, like);
    for (size_t i = 0; i < like->nturns; i++) {
        const struct sn_turn *t = &like->turn[i];
        if (member && mix((uint64_t)member * 1000003 + i) % 8 == 0)
            continue;
        sn_schedule_add_turn(s, t->thread, t->nth, t->at.module, t->at.offset);
    }
}

/* The old decisions; member 0 has all of them. */
static struct sn_schedule with_decisions(const struct sn_schedule *old, int64_t member)
{
    struct sn_log_entry *kept = sn_xcalloc(old->nentries + 1, sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < old->nentries; i++)
        if (!member || mix((uint64_t)member * 1000003 + i) % 8)
            kept[n++] = old->entry[i];
    struct sn_schedule s = sn_schedule_replay(old, kept, n);
    free(kept);
    return s;
}

static struct sn_schedule member_of(const struct sn_schedule *old, const struct sn_schedule *like,
                                    const struct sn_goal *g, int64_t number)
{
    struct sn_schedule s = {.seed = number / KINDS, .depth = 3};
    switch (number % KINDS) {
    case 0:
        return with_decisions(old, number);
    case 1:
    case 2:
        s.stops_after = true;
        set(&s, "order", "sites");
        copy_turns(&s, like, number % KINDS == 2 ? number : 0);
        break;
    case 3:
        set(&s, g->race ? "race" : g->end == SN_END_DEADLOCK ? "deadlock" : "order", "sites");
        if (g->race) {
            sn_schedule_add_site(&s, g->a.module, g->a.offset);
            sn_schedule_add_site(&s, g->b.module, g->b.offset);
        } else {
            add_sites(&s, like);
        }
        break;
    case 4:
        set(&s, "random", "sync");
        break;
    default:
        set(&s, "random", "all");
    }
    return s;
}

int sn_replay_fixed(struct sn_runner *r, const struct sn_schedule *old, const struct sn_schedule *s,
                    const struct sn_goal *g, const struct sn_finding *f, int64_t times)
{
    int64_t again = 0, bad = 0;
    char *effect = NULL;
    int status = 0;
    for (int64_t i = 0; i < times && !status; i++) {
        struct sn_schedule one = member_of(old, s, g, i);
        struct sn_execution e;
        status = sn_execute(r, &one, &e);
        bool hit = !status && g->race && sn_goal_hit(g, &e);
        again += hit;
        bad += !status && e.end != SN_END_OK;
        if (!effect && e.effect)
            effect = sn_xstrdup(e.effect);
        if (!status && e.asked_to_stop)
            status = 128 + e.asked_to_stop;
        sn_execution_clear(&e);
        sn_schedule_clear(&one);
    }
    if (!status && !sn_common.quiet) {
        if (again || bad)
            sn_say("%s: still there: in %lld of %lld schedules around the old one%s%s", f->title,
                   (long long)(again > bad ? again : bad), (long long)times, effect ? "; " : "",
                   effect ? effect : "");
        else
            sn_say("%s: not seen in %lld schedules around the old one", f->title, (long long)times);
    }
    free(effect);
    return status ? status : again || bad ? (int)sn_common.exitcode : 0;
}
