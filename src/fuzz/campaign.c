/*
 * campaign.c: RaceFuzzer's second phase and what goes beyond it, see campaign.h. A directed
 * execution that ends badly after its race was created makes the race harmful; a bad end that no
 * known race explains is a finding of its own.
 */
#include "fuzz/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/asked.h"
#include "store/ingest.h"
#include "store/xalloc.h"

enum {
    ENOUGH = 20,      /* tries after which a confirmed and harmful candidate needs no more */
    USUAL_TRIES = 10, /* executions that show how the program usually ends */
    FIRST_ROUND = 10, /* tries of each candidate before any gets more */
    HINT_TRIES = 10,  /* of another engine's witness, before the candidate's own strategy */
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The whole campaign's time is up. */
static bool is_late(const struct sn_campaign *c)
{
    return c->end_s > 0 && now_s() > c->end_s;
}

double sn_campaign_clock(void)
{
    return now_s();
}

static bool place_of(const struct sn_finding *f, size_t i, struct sn_code_site *s)
{
    if (i >= f->nsites || !f->sites[i].stack.n || !f->sites[i].stack.frame[0].module ||
        !f->sites[i].stack.frame[0].offset)
        return false;
    *s =
        (struct sn_code_site){f->sites[i].stack.frame[0].module, f->sites[i].stack.frame[0].offset};
    return true;
}

static const char *strategy_for(const struct sn_finding *f)
{
    switch (f->kind) {
    case SN_KIND_DATA_RACE:
    case SN_KIND_ATOMICITY:
        return "race";
    case SN_KIND_LOCK_ORDER:
    case SN_KIND_DEADLOCK:
        return "deadlock";
    case SN_KIND_ORDER:
        return "order";
    default:
        return NULL;
    }
}

static struct sn_result *by_key(struct sn_campaign *c, const char *key)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->result[i].f.key && strcmp(c->result[i].f.key, key) == 0)
            return &c->result[i];
    return NULL;
}

static struct sn_result *new_result(struct sn_campaign *c, struct sn_finding *f)
{
    c->result = sn_xgrow(c->result, c->n, &c->cap, sizeof *c->result);
    struct sn_result *r = &c->result[c->n++];
    *r = (struct sn_result){.f = *f};
    *f = (struct sn_finding){0};
    return r;
}

/* The finding's own frames name the places, so this comes after the finding has its final home. */
static void set_goal(struct sn_result *r)
{
    r->goal = (struct sn_goal){0};
    if (r->f.kind == SN_KIND_DATA_RACE || r->f.kind == SN_KIND_ATOMICITY)
        r->goal.race = place_of(&r->f, 0, &r->goal.a) && place_of(&r->f, 1, &r->goal.b);
    else if (r->f.kind == SN_KIND_DEADLOCK || r->f.kind == SN_KIND_LOCK_ORDER)
        r->goal.end = SN_END_DEADLOCK;
}

bool sn_campaign_add(struct sn_campaign *c, struct sn_finding *f)
{
    struct sn_code_site place;
    const char *strategy = strategy_for(f);
    if (!strategy || !place_of(f, 0, &place) || by_key(c, f->key) ||
        (f->kind == SN_KIND_DATA_RACE && !place_of(f, 1, &place)))
        return false;
    struct sn_result *r = new_result(c, f);
    r->strategy = strategy;
    set_goal(r);
    return true;
}

static bool is_known(const struct sn_campaign *c, uint64_t signature)
{
    for (size_t i = 0; i < c->nknown; i++)
        if (c->known[i] == signature)
            return true;
    return false;
}

static void make_known(struct sn_campaign *c, uint64_t signature)
{
    if (is_known(c, signature))
        return;
    c->known = sn_xrealloc(c->known, c->nknown + 1, sizeof *c->known);
    c->known[c->nknown++] = signature;
}

static void keep_schedule(struct sn_result *r, const struct sn_schedule *s,
                          const struct sn_execution *e)
{
    sn_schedule_clear(&r->schedule);
    r->schedule = sn_schedule_replay(s, e->log, e->nlog);
}

static void take_effect(struct sn_result *r, const struct sn_execution *e)
{
    free(r->f.effect);
    r->f.effect = sn_xstrdup(e->effect);
    r->goal.end = e->end;
    r->goal.status = e->status;
    r->harmful = e->end != SN_END_OK;
}

/* The execution shows r: count it, and keep the first schedule, or the first that does harm. */
static void shown(const struct sn_campaign *c, struct sn_result *r, const struct sn_schedule *s,
                  const struct sn_execution *e)
{
    bool bad = e->end != SN_END_OK;
    r->hits++;
    r->counted = c->executions;
    r->bad += bad;
    if (!r->confirmed || (bad && !r->harmful)) {
        keep_schedule(r, s, e);
        take_effect(r, e);
    }
    r->confirmed = true;
}

static bool explains(const struct sn_campaign *c, const char *effect)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct sn_result *r = &c->result[i];
        if (r->confirmed && r->harmful && r->f.effect && effect && strcmp(r->f.effect, effect) == 0)
            return true;
    }
    return false;
}

/* A finding that the process itself has written. */
static void take_finding(struct sn_campaign *c, const struct sn_schedule *s, struct sn_finding *f,
                         const struct sn_execution *e, bool blamed)
{
    struct sn_result *r = by_key(c, f->key);
    if (r && r->counted == c->executions)
        return;
    if (!r) {
        if (f->kind == SN_KIND_ORDER && (e->end == SN_END_OK || blamed || explains(c, e->effect)))
            return;
        r = new_result(c, f);
        set_goal(r);
    }
    if (!r->goal.race || sn_goal_hit(&r->goal, e))
        shown(c, r, s, e);
}

static void take_findings(struct sn_campaign *c, const struct sn_schedule *s,
                          const struct sn_execution *e, bool blamed)
{
    struct sn_findings all = {0};
    struct sn_ingest_info info = {0};
    if (e->dir && sn_ingest(e->dir, &all, &info) == 0)
        for (size_t i = 0; i < all.n; i++)
            if (all.f[i].status == SN_CONFIRMED)
                take_finding(c, s, &all.f[i], e, blamed);
    sn_findings_free(&all);
    sn_ingest_info_free(&info);
}

/* An end that leaves no trace in the process: another exit status, or none. */
static void take_end(struct sn_campaign *c, const struct sn_schedule *s,
                     const struct sn_execution *e)
{
    struct sn_finding f = {.kind = SN_KIND_ORDER, .status = SN_CONFIRMED, .harmful = 1, .hits = 1};
    const char *slash = strrchr(c->runner.argv[0], '/');
    f.engine = sn_xstrdup("fuzz");
    f.text = sn_xformat("the program fails under this schedule: %s", e->effect);
    f.nsites = 1;
    f.sites = sn_xcalloc(1, sizeof *f.sites);
    f.sites[0] = (struct sn_site){.thread = -1, .op = SN_OP_CALL, .creator = -1};
    f.sites[0].call = sn_xstrdup(e->end == SN_END_HANG ? "hang" : "exit");
    f.sites[0].stack.n = 1;
    f.sites[0].stack.frame = sn_xcalloc(1, sizeof *f.sites[0].stack.frame);
    f.sites[0].stack.frame[0].function = e->end == SN_END_HANG
                                             ? sn_xstrdup("(does not end)")
                                             : sn_xformat("(exit status %d)", e->status);
    f.sites[0].stack.frame[0].module = sn_xstrdup(slash ? slash + 1 : c->runner.argv[0]);
    sn_finding_finish(&f);
    struct sn_result *r = by_key(c, f.key);
    if (!r)
        r = new_result(c, &f);
    sn_finding_clear(&f);
    shown(c, r, s, e);
}

static void write_decisions(const struct sn_campaign *c, const struct sn_schedule *s,
                            const struct sn_execution *e)
{
    if (!c->decisions)
        return;
    fprintf(c->decisions,
            "execution %lld strategy %s seed %lld status %d output %016llx steps %llu\n",
            (long long)c->executions, s->strategy, (long long)s->seed, e->status,
            (unsigned long long)e->output, (unsigned long long)e->summary.steps);
    for (size_t i = 0; i < e->nlog; i++)
        fprintf(c->decisions, "%u %u.%u -> %u %llx %llx\n", e->log[i].kind, e->log[i].thread,
                e->log[i].count, e->log[i].next, (unsigned long long)e->log[i].site,
                (unsigned long long)e->log[i].addr);
    for (size_t i = 0; i < e->nsteps; i++)
        fprintf(c->decisions, "event %u %u%s %llx %llx\n", e->step[i].thread, e->step[i].op,
                e->step[i].how == SN_STEP_WAITS   ? " waits"
                : e->step[i].how == SN_STEP_FAILS ? " fails"
                                                  : "",
                (unsigned long long)e->step[i].site, (unsigned long long)e->step[i].object);
}

void sn_campaign_took(struct sn_campaign *c, const struct sn_schedule *s, struct sn_execution *e,
                      struct sn_result *aim)
{
    bool fresh = false, blamed = false;
    size_t index = aim ? (size_t)(aim - c->result) : 0;
    if (e->asked_to_stop)
        return;
    c->executions++;
    c->failures += e->end != SN_END_OK;
    c->watched |= e->watched;
    c->instrumented |= e->instrumented;
    if (e->summary.steps > c->steps)
        c->steps = e->summary.steps;
    write_decisions(c, s, e);
    if (aim)
        aim->tries++;
    if (aim && (aim->goal.race ? sn_goal_hit(&aim->goal, e)
                               : aim->f.kind == SN_KIND_ORDER && e->end != SN_END_OK)) {
        shown(c, aim, s, e);
        blamed = true;
    }
    for (size_t i = 0; i < e->nfound; i++)
        if (!blamed || SN_FOUND_KIND(e->found[i]) != SN_KIND_ORDER) { /* else the race did it */
            fresh |= !is_known(c, e->found[i]);
            make_known(c, e->found[i]);
        }
    if (fresh || (e->end != SN_END_OK && e->nhits)) /* a known race may do harm only now */
        take_findings(c, s, e, blamed);
    aim = aim ? &c->result[index] : NULL; /* the array may have moved */
    if (aim && !aim->goal.race && aim->goal.end == SN_END_DEADLOCK && e->end == SN_END_DEADLOCK)
        shown(c, aim, s, e);
    if ((e->end == SN_END_STATUS || e->end == SN_END_HANG) && !blamed && !explains(c, e->effect))
        take_end(c, s, e);
}

static void show_progress(const struct sn_campaign *c, const char *what, int64_t i)
{
    if (c->progress)
        fprintf(stderr, "\r\033[Ksnag: %s, schedule %lld, %lld failures", what, (long long)i,
                (long long)c->failures);
}

static void end_progress(const struct sn_campaign *c)
{
    if (c->progress)
        fprintf(stderr, "\r\033[K");
}

static struct sn_schedule aimed(const struct sn_result *r)
{
    struct sn_schedule s = {.points = "sites"};
    snprintf(s.strategy, sizeof s.strategy, "%s", r->strategy);
    for (size_t i = 0; i < r->f.nsites; i++) {
        struct sn_code_site place;
        if (place_of(&r->f, i, &place))
            sn_schedule_add_site(&s, place.module, place.offset);
    }
    return s;
}

static bool has_enough(const struct sn_campaign *c, const struct sn_result *r, double begin,
                       int64_t quota)
{
    return r->tries >= quota || sn_asked() || is_late(c) ||
           (r->confirmed && r->harmful && r->tries >= ENOUGH) ||
           r->seconds + now_s() - begin > c->limit_s;
}

struct sn_pool *sn_campaign_pool(struct sn_campaign *c)
{
    if (!c->pool.n)
        sn_pool_open(&c->pool, &c->runner, 1, NULL); /* one slot, the runner itself: cannot fail */
    return &c->pool;
}

/* Schedules of the pool's work are borrowed. */
static void drop_nothing(void *arg, int64_t i, struct sn_schedule *s)
{
    (void)arg, (void)i, (void)s;
}

struct directed {
    struct sn_campaign *c;
    size_t index;
    struct sn_schedule own;
    double begin;
    int64_t quota;
};

static bool make_directed(void *arg, int64_t i, struct sn_schedule *s)
{
    struct directed *d = arg;
    const struct sn_result *r = &d->c->result[d->index];
    *s = r->hint && i < HINT_TRIES ? *r->hint : d->own;
    s->seed = d->c->seed + i;
    s->tell = d->c->decisions != NULL;
    return true;
}

static bool took_directed(void *arg, int64_t i, struct sn_schedule *s, struct sn_execution *e)
{
    struct directed *d = arg;
    sn_campaign_took(d->c, s, e, &d->c->result[d->index]);
    show_progress(d->c, d->c->result[d->index].f.title, i + 1);
    return !has_enough(d->c, &d->c->result[d->index], d->begin, d->quota);
}

static int direct(struct sn_campaign *c, size_t index, int64_t quota)
{
    struct directed d = {c, index, aimed(&c->result[index]), now_s(), quota};
    struct sn_pool_work w = {make_directed, took_directed, drop_nothing, &d};
    int status = 0;
    if (!has_enough(c, &c->result[index], d.begin, quota))
        status = sn_pool_run(sn_campaign_pool(c), c->result[index].tries, quota, &w);
    c->result[index].seconds += now_s() - d.begin;
    sn_schedule_clear(&d.own);
    end_progress(c);
    return status;
}

/* A program that seems to die always, or to stand still: is there a schedule under which it does
 * not?
 */
static int look_for_better_end(struct sn_campaign *c)
{
    struct sn_schedule s = {.strategy = "random", .points = "sync"};
    int status = 0;
    for (bool found = false; s.seed < USUAL_TRIES && !status && !found; s.seed++) {
        struct sn_execution e;
        status = sn_execute(&c->runner, &s, &e);
        found = !status && e.status <= 128 && e.end != SN_END_HANG && e.end != SN_END_DEADLOCK;
        if (found)
            c->runner.expected = e.status;
        sn_execution_clear(&e);
    }
    return status;
}

int sn_campaign_learn_usual_end(struct sn_campaign *c, int free_end)
{
    struct sn_schedule s = {.strategy = "replay", .points = "sync"};
    struct sn_execution e;
    c->runner.expected = 0;
    int status = sn_execute(&c->runner, &s, &e);
    bool stands = !status && e.end == SN_END_DEADLOCK;
    if (!status && !stands && (e.status == free_end || (e.end == SN_END_STATUS && free_end != 0)))
        c->runner.expected = e.status;
    c->instrumented = e.instrumented;
    sn_execution_clear(&e);
    return stands || c->runner.expected > 128 ? look_for_better_end(c) : status;
}

static bool may_stop(const struct sn_campaign *c)
{
    for (size_t i = 0; c->stop_on_first && i < c->n; i++)
        if (c->result[i].confirmed && c->result[i].harmful)
            return true;
    return sn_asked() != 0;
}

bool sn_campaign_goes_on(const struct sn_campaign *c)
{
    return !may_stop(c) && !is_late(c);
}

/* In rounds, so that of many candidates each gets its chance before one gets many. */
int sn_campaign_directed(struct sn_campaign *c)
{
    int status = 0;
    for (int64_t quota = FIRST_ROUND, last = 0; last < c->schedules && !status; quota *= 4) {
        last = quota < c->schedules ? quota : c->schedules;
        for (size_t i = 0; i < c->n && !status && !may_stop(c); i++)
            if (c->result[i].strategy)
                status = direct(c, i, last);
    }
    return status;
}

struct at_large {
    struct sn_campaign *c;
    struct sn_schedule like;
    double begin;
    int64_t taken;
};

/* pct takes the number of steps from earlier executions. How many of them have ended must not
 * matter, so it looks at them once in so many. */
static bool make_at_large(void *arg, int64_t i, struct sn_schedule *s)
{
    struct at_large *a = arg;
    enum { BATCH = 16 };
    if (i % BATCH == 0) {
        if (a->taken < i && strcmp(a->like.strategy, "pct") == 0)
            return false;
        a->like.steps = a->c->steps;
    }
    *s = a->like;
    s->seed = a->c->seed + i;
    return true;
}

static bool took_at_large(void *arg, int64_t i, struct sn_schedule *s, struct sn_execution *e)
{
    struct at_large *a = arg;
    sn_campaign_took(a->c, s, e, NULL);
    a->taken = i + 1;
    show_progress(a->c, a->like.strategy, i + 1);
    return now_s() - a->begin <= a->c->limit_s && !is_late(a->c) && !may_stop(a->c);
}

int sn_campaign_at_large(struct sn_campaign *c, const char *strategy, const char *points)
{
    struct at_large a = {
        c, {.depth = c->depth ? c->depth : 3, .tell = c->decisions != NULL}, now_s(), 0};
    struct sn_pool_work w = {make_at_large, took_at_large, drop_nothing, &a};
    int status = 0;
    snprintf(a.like.strategy, sizeof a.like.strategy, "%s", strategy);
    snprintf(a.like.points, sizeof a.like.points, "%s", points);
    if (!may_stop(c))
        status = sn_pool_run(sn_campaign_pool(c), 0, c->schedules, &w);
    end_progress(c);
    return status;
}

void sn_campaign_clear(struct sn_campaign *c)
{
    for (size_t i = 0; i < c->n; i++) {
        sn_finding_clear(&c->result[i].f);
        sn_schedule_clear(&c->result[i].schedule);
        json_decref(c->result[i].landmarks);
    }
    sn_pool_close(&c->pool);
    free(c->result);
    free(c->known);
    c->result = NULL;
    c->known = NULL;
    c->n = c->cap = c->nknown = 0;
}
