/*
 * learn.c: remote predecessors (section 2.1), collected into pairs as the program runs; the union
 * over correct runs is the belonging sets. Every new pair is written at once. Which statement came
 * right before in the same thread is kept too: with that the sets can be worked out again when some
 * statements are not guarded (section 3.4.2), and who shares memory with whom (Algorithm 2).
 * So is whether another thread has ever come right before: who always follows its own thread can
 * often be left out (guard/behind.c).
 */
#include "guard.h"

#include "core/count.h"
#include "core/ctx.h"
#include "core/options.h"
#include "record.h"
#include "runtime/modules.h"
#include "runtime/sink.h"
#include "tasks.h"

enum { SLOTS = 1 << 20, PROBES = 64 };

static uint64_t pairs[SLOTS]; /* site, pred, kind; 0: free; atomic */

/* True: it was not there. */
static bool insert(uint64_t key)
{
    uint32_t h = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 44);
    for (int i = 0; i < PROBES; i++, h = (h + 1) & (SLOTS - 1)) {
        uint64_t there = __atomic_load_n(&pairs[h], __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(&pairs[h], &there, key, 0, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED))
            return true;
        if (there == key)
            return false;
    }
    sn_count(LOST_POINT);
    return false;
}

static void tell(enum sn_guard_pair what, uintptr_t site, uintptr_t pred)
{
    struct sn_guard_rec_pair r = {
        .kind = SN_GUARD_REC_PAIR,
        .what = what,
        .site = sn_modules_frame(site),
        .pred = pred ? sn_modules_frame(pred) : 0,
    };
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

static void add(struct sn_guard_site *s, uint32_t pred, enum sn_guard_pair what)
{
    uint64_t key = (uint64_t)s->id | (uint64_t)pred << SN_REC_SITE_BITS |
                   (uint64_t)what << (2 * SN_REC_SITE_BITS);
    if (!insert(key))
        return;
    struct sn_guard_site *p = sn_site_by_id(pred);
    tell(what, s->pc, p ? p->pc : 0);
}

/* ---- doubts ----
 *
 * A record and its access are two steps, and the kernel may take the processor away between them. A
 * thread that comes right then is recorded as the second, but is the first in truth. So an order is
 * in doubt as long as the other thread had no event after its record, unless it sleeps; and when
 * somebody came before this thread's next event. Such an order must be seen in a second run.
 */

static bool is_in_doubt(const struct sn_guard_pending *p)
{
    if (p->what != SN_GUARD_REMOTE)
        return false;
    if (__atomic_load_n(p->word, __ATOMIC_RELAXED) != p->left)
        return true;
    if (!p->doubt)
        return false;
    struct sn_thread *o = sn_thread_by_number(p->doubt - 1);
    return !o || __atomic_load_n(&sn_guard_of(o)->at, __ATOMIC_ACQUIRE) != p->word ||
           sn_tasks_runs((uint32_t)o->kernel_tid);
}

/* The thread whose access may still be to come; 0: none. */
static uint32_t doubt_of(struct sn_thread *t, uint64_t old, const uint64_t *word)
{
    struct sn_guard_thread *g = sn_guard_of(t);
    uint32_t me = sn_rec_thread_of(t->number), last = sn_rec_thread(old);
    if (old && last != me)
        g->doubt = last + 1;
    else if (g->doubtful != word)
        g->doubt = 0;
    g->doubtful = word;
    struct sn_thread *o = g->doubt ? sn_thread_by_number(g->doubt - 1) : 0;
    if (!o || __atomic_load_n(&sn_guard_of(o)->at, __ATOMIC_ACQUIRE) != word)
        g->doubt = 0;
    return g->doubt;
}

SN_NOINLINE void sn_learn_flush(struct sn_thread *t)
{
    struct sn_guard_thread *g = sn_guard_of(t);
    for (uint32_t i = 0; i < g->npending && i < SN_PENDING; i++) {
        const struct sn_guard_pending *p = &g->pending[i];
        struct sn_guard_site *s = sn_site_by_id(p->site);
        bool doubt = is_in_doubt(p);
        add(s, p->pred, doubt ? SN_GUARD_DOUBT : (enum sn_guard_pair)p->what);
        if (doubt) /* the next one may be beyond doubt */
            __atomic_store_n(&s->last_remote, SN_SITE_UNSEEN, __ATOMIC_RELAXED);
    }
    g->npending = 0;
}

static void put_off(struct sn_thread *t, const struct sn_guard_pending *p)
{
    struct sn_guard_thread *g = sn_guard_of(t);
    if (g->npending == SN_PENDING)
        sn_learn_flush(t);
    g->pending[g->npending++] = *p;
}

/* Algorithm 3 wants the first of the locks that are held at a site. */
static SN_NOINLINE void tell_lock(struct sn_thread *t, struct sn_guard_site *s)
{
    uintptr_t pc = sn_ctx_pc(t->held[0].where);
    __atomic_store_n(&s->lock_told, 1, __ATOMIC_RELAXED);
    if (pc)
        tell(SN_GUARD_LOCK, s->pc, pc);
}

void sn_learn(struct sn_thread *t, struct sn_guard_site *s, uint64_t *word)
{
    uint32_t me = sn_rec_thread_of(t->number), pred;
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    if (SN_UNLIKELY(sn_opt.perturb && old && sn_rec_rpre(old, me))) {
        sn_stall_perturb(t);
        old = __atomic_load_n(word, __ATOMIC_RELAXED);
    }
    if (SN_UNLIKELY(t->nheld && !s->lock_told)) {
        tell_lock(t, s);
        old = __atomic_load_n(word, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&sn_guard_of(t)->at, word, __ATOMIC_RELAXED);
    do {
        pred = sn_rec_rpre(old, me);
        new = sn_rec_next(old, s->id, me);
    } while (new != old && !__atomic_compare_exchange_n(word, &old, new, 1, __ATOMIC_ACQ_REL,
                                                        __ATOMIC_ACQUIRE)); /* doubt_of() */
    if (s->count)
        __atomic_fetch_add(s->count, 1, __ATOMIC_RELAXED);
    if (s->last_remote != pred) {
        __atomic_store_n(&s->last_remote, pred, __ATOMIC_RELAXED);
        put_off(t, &(struct sn_guard_pending){s->id, pred, SN_GUARD_REMOTE, doubt_of(t, old, word),
                                              word, new});
    }
    bool enters = old && sn_rec_thread(old) != me;
    if (SN_UNLIKELY(enters && !s->enters)) {
        __atomic_store_n(&s->enters, 1, __ATOMIC_RELAXED);
        put_off(t, &(struct sn_guard_pending){s->id, 0, SN_GUARD_ENTER, 0, word, new});
    }
    uint32_t last = sn_rec_last(old); /* nil: nobody has ever been here */
    if (!enters && last != s->id && s->last_local != last) {
        __atomic_store_n(&s->last_local, last, __ATOMIC_RELAXED);
        put_off(t, &(struct sn_guard_pending){s->id, last, SN_GUARD_LOCAL, 0, word, new});
    }
}

void sn_learn_chosen(struct sn_guard_site *s)
{
    add(s, 0, SN_GUARD_CHOSEN);
}
