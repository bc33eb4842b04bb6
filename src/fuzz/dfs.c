/*
 * dfs.c: all schedules with at most `bound` preemptions, depth first, of equivalent ones only the
 * first (engine/sched/dfs.c has the sleep sets). A job is a prefix of decisions that ends with a
 * choice that was not made before; its execution shows the decisions after it, and each of those
 * with a choice begins a node. The alternatives of a node are tried one after the other, since what
 * an earlier one touched has to be known before the next begins: then the earlier one is asleep
 * there.
 *
 * Jobs are taken in batches of the same size whatever --jobs says, so the search is the same.
 */
#include "fuzz/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

enum { BATCH = 16, NO_BOUND = 1000 };
#define ENDLESS ((int64_t)1 << 40)

struct job {
    struct sn_log_entry *entry; /* the prefix, the last one is the choice */
    size_t n, fixed;            /* decisions of the execution that the prefix makes */
    struct sn_sleeper *asleep;
    size_t nasleep;
    uint64_t rest;  /* alternatives of the same node, to come after this one */
    int64_t budget; /* that this choice will have when it sleeps */
};

struct search {
    struct sn_campaign *c;
    const char *points;
    unsigned bound;
    struct job *job; /* a stack */
    size_t n, cap;
    struct job batch[BATCH];
    struct sn_schedule schedule[BATCH];
    size_t nbatch;
    double begin;
    bool ends;
};

static void clear_job(struct job *j)
{
    free(j->entry);
    free(j->asleep);
    *j = (struct job){0};
}

static struct job *push(struct search *s)
{
    s->job = sn_xgrow(s->job, s->n, &s->cap, sizeof *s->job);
    s->job[s->n] = (struct job){0};
    return &s->job[s->n++];
}

static void add_asleep(struct job *j, struct sn_sleeper z)
{
    j->asleep = sn_xrealloc(j->asleep, j->nasleep + 1, sizeof *j->asleep);
    j->asleep[j->nasleep++] = z;
}

/* The decisions before number i of the execution, then `next` there. */
static void set_prefix(struct job *j, const struct sn_log_choice *c, size_t i, uint32_t next)
{
    j->entry = sn_xcalloc(i + 1, sizeof *j->entry);
    for (size_t k = 0; k <= i; k++) {
        uint32_t to = k == i ? next : c[k].next;
        if (c[k].thread != UINT32_MAX &&
            (k == i || c[k].kind == SN_LOG_CHOICE || to != c[k].thread))
            j->entry[j->n++] = (struct sn_log_entry){
                .kind = c[k].kind, .thread = c[k].thread, .count = c[k].count, .next = to};
    }
    j->fixed = i + 1;
}

/* Preemptions that are left when `next` goes on at c. */
static int64_t left_after(const struct search *s, const struct sn_log_choice *c, uint32_t next)
{
    return s->bound >= NO_BOUND ? ENDLESS
                                : (int64_t)s->bound - c->used - (c->can_stay && next != c->thread);
}

/* What thread `c->next` touched from c on. The last one has ended the process: that is everything.
 */
static struct sn_sleeper sleeper_of(const struct sn_log_choice *c, bool last, int64_t budget)
{
    struct sn_sleeper z = {.thread = c->next, .budget = budget, .nobjects = c->nobjects};
    memcpy(z.object, c->object, sizeof z.object);
    if (last)
        z.nobjects = SN_CHOICE_OBJECTS + 1;
    return z;
}

static uint32_t take_lowest(uint64_t *set)
{
    uint32_t u = (uint32_t)__builtin_ctzll(*set);
    *set &= *set - 1;
    return u;
}

/* Who sleeps at decision i: of the job's own those who are still in the list. That another one is
 * chosen there is a switch more. */
static void copy_sleepers(struct job *to, const struct job *from, const struct sn_log_choice *c,
                          size_t i)
{
    int64_t switches = 1;
    for (size_t k = from->fixed; k < i; k++)
        switches += c[k].kind == SN_LOG_PREEMPT && c[k].next != c[k].thread;
    for (size_t k = 0; k < from->nasleep; k++) {
        struct sn_sleeper z = from->asleep[k];
        if (z.thread >= 64 || !(c[i].listed >> z.thread & 1))
            continue;
        z.budget -= switches;
        if (z.budget > 0)
            add_asleep(to, z);
    }
}

/* The thread went on and did nothing that another one could notice: to leave it here is to leave it
 * at its next point. */
static bool may_be_later(const struct sn_log_choice *c, bool last)
{
    return c->kind == SN_LOG_PREEMPT && c->can_stay && c->next == c->thread && !c->nobjects &&
           !last;
}

/* Decision i of the execution of j is a node: the first of its alternatives. */
static void branch(struct search *s, const struct job *j, const struct sn_log_choice *c, size_t i,
                   bool last)
{
    uint64_t others = c[i].eligible & ~c[i].asleep;
    if (c[i].next < 64)
        others &= ~(1ull << c[i].next);
    for (uint32_t u = 0; u < 64; u++)
        if ((others >> u & 1) && c[i].kind == SN_LOG_PREEMPT && left_after(s, &c[i], u) < 0)
            others &= ~(1ull << u);
    if (!others || c[i].thread == UINT32_MAX || may_be_later(&c[i], last))
        return;
    struct job *next = push(s);
    uint32_t u = take_lowest(&others);
    set_prefix(next, c, i, u);
    next->rest = others;
    next->budget = left_after(s, &c[i], u) - 1;
    if (c[i].kind != SN_LOG_PREEMPT)
        return; /* who is woken: nobody sleeps because of it */
    copy_sleepers(next, j, c, i);
    int64_t budget = left_after(s, &c[i], c[i].next) - 1;
    if (budget > 0)
        add_asleep(next, sleeper_of(&c[i], last, budget));
}

/* The next alternative of the node at which j chose; what j chose sleeps there. */
static void next_alternative(struct search *s, const struct job *j, const struct sn_log_choice *c,
                             size_t n)
{
    size_t i = j->fixed - 1;
    if (!j->rest || i >= n)
        return;
    uint64_t rest = j->rest;
    uint32_t u = take_lowest(&rest);
    struct job *next = push(s);
    set_prefix(next, c, i, u);
    next->rest = rest;
    next->budget = left_after(s, &c[i], u) - 1;
    if (c[i].kind != SN_LOG_PREEMPT)
        return;
    for (size_t k = 0; k < j->nasleep; k++)
        add_asleep(next, j->asleep[k]);
    if (j->budget > 0)
        add_asleep(next, sleeper_of(&c[i], i + 1 == n, j->budget));
}

static void expand(struct search *s, const struct job *j, const struct sn_execution *e)
{
    if (j->fixed)
        next_alternative(s, j, e->choice, e->nchoices);
    for (size_t i = j->fixed; i < e->nchoices; i++)
        branch(s, j, e->choice, i, i + 1 == e->nchoices);
}

static bool make(void *arg, int64_t i, struct sn_schedule *out)
{
    struct search *s = arg;
    *out = s->schedule[i];
    return true;
}

static bool took(void *arg, int64_t i, struct sn_schedule *schedule, struct sn_execution *e)
{
    struct search *s = arg;
    if (e->summary.redundant)
        s->c->redundant++;
    else
        sn_campaign_took(s->c, schedule, e, NULL);
    expand(s, &s->batch[i], e);
    s->ends = !sn_campaign_goes_on(s->c) || sn_campaign_clock() - s->begin > s->c->limit_s;
    return !s->ends;
}

static void drop(void *arg, int64_t i, struct sn_schedule *schedule)
{
    (void)arg, (void)i, (void)schedule;
}

static struct sn_schedule schedule_of(const struct search *s, const struct job *j)
{
    struct sn_schedule like = {.tell = s->c->decisions != NULL}, out;
    memcpy(like.points, s->points, strlen(s->points) + 1);
    out = sn_schedule_replay(&like, j->entry, j->n);
    out.tell = like.tell;
    memcpy(out.strategy, "dfs", 4);
    out.prefix = j->fixed;
    out.bound = s->bound >= NO_BOUND ? UINT32_MAX : s->bound;
    out.nsleepers = j->nasleep;
    out.sleeper = sn_xcalloc(j->nasleep, sizeof *out.sleeper);
    if (j->nasleep)
        memcpy(out.sleeper, j->asleep, j->nasleep * sizeof *out.sleeper);
    return out;
}

static int run_batch(struct search *s, int64_t most)
{
    struct sn_pool_work w = {make, took, drop, s};
    s->nbatch = 0;
    while (s->n && s->nbatch < BATCH && (int64_t)s->nbatch < most) {
        s->batch[s->nbatch] = s->job[--s->n];
        s->schedule[s->nbatch] = schedule_of(s, &s->batch[s->nbatch]);
        s->nbatch++;
    }
    int status = sn_pool_run(sn_campaign_pool(s->c), 0, (int64_t)s->nbatch, &w);
    for (size_t i = 0; i < s->nbatch; i++) {
        clear_job(&s->batch[i]);
        sn_schedule_clear(&s->schedule[i]);
    }
    return status;
}

int sn_campaign_dfs(struct sn_campaign *c, const char *points, unsigned bound)
{
    struct search s = {.c = c, .points = points, .bound = bound, .begin = sn_campaign_clock()};
    int status = 0;
    s.ends = !sn_campaign_goes_on(c);
    push(&s);
    for (int64_t i = 0; s.n && i < c->schedules && !status && !s.ends; i += (int64_t)s.nbatch)
        status = run_batch(&s, c->schedules - i);
    c->exhausted = !s.n && !status && !s.ends;
    while (s.n)
        clear_job(&s.job[--s.n]);
    free(s.job);
    return status;
}
