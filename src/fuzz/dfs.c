/*
 * dfs.c: all schedules with at most `bound` preemptions, depth first. An execution follows a prefix
 * of decisions and then switches only when it must; its log has every point at which another thread
 * could have gone on, and each of these is the end of a new prefix.
 */
#include "fuzz/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

struct prefix {
    struct sn_log_entry *entry;
    size_t n, fixed; /* points of the log that this prefix decides: no branches there */
};

struct stack {
    struct prefix *p;
    size_t n, cap;
};

static void push(struct stack *st, const struct sn_log_entry *log, size_t i, uint32_t next)
{
    st->p = sn_xgrow(st->p, st->n, &st->cap, sizeof *st->p);
    struct prefix *p = &st->p[st->n++];
    *p = (struct prefix){.entry = sn_xcalloc(i + 1, sizeof *p->entry), .fixed = i + 1};
    for (size_t k = 0; k < i; k++)
        if (log[k].next != log[k].thread || log[k].kind == SN_LOG_CHOICE)
            p->entry[p->n++] = log[k];
    p->entry[p->n] = log[i];
    p->entry[p->n++].next = next;
}

static bool preempts(const struct sn_log_entry *e)
{
    return e->kind == SN_LOG_PREEMPT && e->next != e->thread;
}

/* addr is the set of threads that could go on there, by number. */
static void branch(struct stack *st, const struct sn_execution *e, size_t fixed, unsigned bound)
{
    unsigned used = 0;
    for (size_t i = 0; i < e->nlog; i++) {
        const struct sn_log_entry *l = &e->log[i];
        bool can_stay = l->kind == SN_LOG_PREEMPT;
        if (i >= fixed && (l->kind == SN_LOG_PREEMPT || l->kind == SN_LOG_FORCED))
            for (uint32_t u = 0; u < 64; u++)
                if ((l->addr >> u & 1) && u != l->next &&
                    (!can_stay || u == l->thread || used < bound))
                    push(st, e->log, i, u);
        used += preempts(l);
    }
}

int sn_campaign_dfs(struct sn_campaign *c, const char *points, unsigned bound)
{
    struct stack st = {.p = sn_xcalloc(1, sizeof *st.p), .n = 1, .cap = 1};
    int status = 0;
    for (int64_t i = 0; st.n && i < c->schedules && !status && !c->asked_to_stop; i++) {
        struct prefix p = st.p[--st.n];
        struct sn_schedule like = {0}, s;
        struct sn_execution e;
        memcpy(like.points, points, strlen(points) + 1);
        s = sn_schedule_replay(&like, p.entry, p.n);
        memcpy(s.strategy, "dfs", 4);
        status = sn_execute(&c->runner, &s, &e);
        if (!status) {
            branch(&st, &e, p.fixed, bound);
            sn_campaign_took(c, &s, &e, NULL);
        }
        sn_execution_clear(&e);
        sn_schedule_clear(&s);
        free(p.entry);
    }
    while (st.n)
        free(st.p[--st.n].entry);
    free(st.p);
    return status;
}
