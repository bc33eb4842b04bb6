/*
 * locks.c: critical sections and the sets of locks that are held.
 *
 * An unlock is paired with the most recent lock of the same thread (section 4.4.4 of the RDIT
 * paper). In an incomplete trace a lock or unlock may be missing. What is seen must then still be
 * true of the observed order: a section that is open when another thread takes the lock was ended
 * by something unseen, at the latest after its thread's last event before that.
 */
#include "predict/model.h"

#include <stdlib.h>
#include <string.h>

#define SPIN (1ull << 63) /* an atomic word and a mutex are two locks, wherever they are */

struct builder {
    struct sn_model *m;
    uint32_t *slot; /* hash of address -> 1 + lock */
    uint32_t cap_slots;
    uint32_t **held; /* thread -> open sections, oldest first */
    uint32_t *nheld, *cap_held;
    uint32_t *current, *sure; /* thread -> lock set; the part of it that is sure */
    uint32_t *sets;           /* hash -> 1 + lock set */
    uint32_t cap_sets;
    uint32_t **open; /* lock -> open sections of any thread */
    uint32_t *nopen, *cap_open;
    uint32_t cap_open_locks;
    uint32_t next_pair; /* pairs before it have begun */
};

static uint32_t lock_of(struct builder *b, uint64_t addr)
{
    struct sn_model *m = b->m;
    uint32_t i = (uint32_t)(addr * 0x9e3779b97f4a7c15ull >> 40) & (b->cap_slots - 1);
    while (b->slot[i] && m->lock[b->slot[i] - 1].addr != addr)
        i = (i + 1) & (b->cap_slots - 1);
    if (!b->slot[i]) {
        SN_PUSH(m->arena, m->lock, m->nlocks, m->cap_locks, (struct sn_lock){.addr = addr});
        b->slot[i] = m->nlocks;
    }
    return b->slot[i] - 1;
}

static uint32_t intern_set(struct builder *b, const uint32_t *lock, uint32_t n)
{
    struct sn_model *m = b->m;
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ lock[i]) * 0x9e3779b97f4a7c15ull;
    uint32_t i = (uint32_t)(h >> 40) & (b->cap_sets - 1);
    for (; b->sets[i]; i = (i + 1) & (b->cap_sets - 1)) {
        const struct sn_lockset *s = &m->lockset[b->sets[i] - 1];
        if (s->n == n && (n == 0 || memcmp(s->lock, lock, n * sizeof *lock) == 0))
            return b->sets[i] - 1;
    }
    uint32_t *copy = SN_NEW(m->arena, uint32_t, n);
    if (n)
        memcpy(copy, lock, n * sizeof *lock);
    SN_PUSH(m->arena, m->lockset, m->nlocksets, m->cap_locksets, (struct sn_lockset){n, copy});
    b->sets[i] = m->nlocksets;
    return m->nlocksets - 1;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t held_set(struct builder *b, uint32_t thread, bool sure)
{
    uint32_t *lock = SN_NEW(b->m->arena, uint32_t, b->nheld[thread]), n = 0;
    for (uint32_t i = 0; i < b->nheld[thread]; i++) {
        const struct sn_section *s = &b->m->section[b->held[thread][i]];
        if (!sure || !s->unsure)
            lock[n++] = s->lock << 1 | s->shared;
    }
    if (n)
        qsort(lock, n, sizeof *lock, by_number);
    return intern_set(b, lock, n);
}

static void set_changed(struct builder *b, uint32_t thread)
{
    b->current[thread] = held_set(b, thread, false);
    b->sure[thread] = held_set(b, thread, true);
}

static void remove_from(uint32_t *list, uint32_t *n, uint32_t what)
{
    for (uint32_t i = *n; i-- > 0;) {
        if (list[i] != what)
            continue;
        memmove(list + i, list + i + 1, (*n - i - 1) * sizeof *list);
        (*n)--;
        return;
    }
}

static void close_section(struct builder *b, uint32_t section, uint32_t event)
{
    struct sn_section *s = &b->m->section[section];
    s->release = event;
    remove_from(b->held[s->thread], &b->nheld[s->thread], section);
    remove_from(b->open[s->lock], &b->nopen[s->lock], section);
    set_changed(b, s->thread);
}

/* The last event of a thread before `event`; SN_NONE. */
static uint32_t last_before(const struct sn_model *m, uint32_t thread, uint32_t event)
{
    uint32_t low = 0, high = m->length[thread];
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (m->list[thread][mid] < event)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? m->list[thread][low - 1] : SN_NONE;
}

/* Sections that cannot be open any more when one begins with `event` (SN_NONE: at the start). */
static void close_missed(struct builder *b, uint32_t lock, uint32_t thread, bool shared,
                         uint32_t event)
{
    for (uint32_t i = b->nopen[lock]; i-- > 0;) {
        uint32_t section = b->open[lock][i];
        const struct sn_section *s = &b->m->section[section];
        if (s->thread != thread && s->shared && shared)
            continue;
        uint32_t last = event == SN_NONE ? SN_NONE : last_before(b->m, s->thread, event);
        close_section(b, section, last);
        /* Without an event of its own since, the section is as if it had never been. */
        b->m->section[section].dead =
            last == SN_NONE || (s->acquire != SN_NONE && last <= s->acquire);
    }
}

static void need_open_list(struct builder *b)
{
    uint32_t want = b->m->cap_locks;
    if (want <= b->cap_open_locks)
        return;
    struct sn_arena *a = b->m->arena;
    uint32_t old = b->cap_open_locks;
    b->open = sn_arena_grow(a, b->open, old * sizeof *b->open, want * sizeof *b->open);
    b->nopen = sn_arena_grow(a, b->nopen, old * sizeof *b->nopen, want * sizeof *b->nopen);
    b->cap_open =
        sn_arena_grow(a, b->cap_open, old * sizeof *b->cap_open, want * sizeof *b->cap_open);
    b->cap_open_locks = want;
}

static void open_section(struct builder *b, uint32_t thread, uint64_t addr, bool shared,
                         bool unsure, uint32_t event)
{
    struct sn_model *m = b->m;
    uint32_t lock = lock_of(b, addr);
    need_open_list(b);
    close_missed(b, lock, thread, shared, event);
    SN_PUSH(m->arena, m->section, m->nsections, m->cap_sections,
            (struct sn_section){thread, lock, event, SN_NONE, shared, unsure, false});
    uint32_t section = m->nsections - 1;
    SN_PUSH(m->arena, b->held[thread], b->nheld[thread], b->cap_held[thread], section);
    SN_PUSH(m->arena, b->open[lock], b->nopen[lock], b->cap_open[lock], section);
    set_changed(b, thread);
}

static bool pair_reaches(const struct sn_window *w, const struct sn_wpair *p, uint64_t addr)
{
    for (uint32_t i = 0; i < p->nranges; i++)
        if (addr - w->range[p->first_range + i].addr < w->range[p->first_range + i].size)
            return true;
    return false;
}

/* Sections of the same thread and lock that were thought to go on beyond `event` ended before it.
 */
static void end_before(struct builder *b, uint32_t lock, uint32_t event)
{
    struct sn_model *m = b->m;
    uint32_t last = sn_event_before(m, event);
    for (uint32_t i = 0; i < m->nsections; i++) {
        struct sn_section *s = &m->section[i];
        if (s->lock != lock || s->thread != sn_thread_of(m, event) || s->release < event)
            continue;
        s->release = last;
        s->dead |= last == SN_NONE || (s->acquire != SN_NONE && last <= s->acquire);
    }
}

/* The lock was taken in a BarrierPair of this thread that can reach it. The last such pair will do,
 * because everything on the lock is ordered with the pairs themselves (rdit.c); and when it is
 * still open, nothing more needs saying. */
static void begin_unseen(struct builder *b, uint32_t lock, uint32_t release)
{
    struct sn_model *m = b->m;
    const struct sn_wevent *e = &m->w->ev[release];
    uint32_t acquire = SN_NONE;
    for (uint32_t i = 0; i < m->w->npairs; i++) {
        const struct sn_wpair *p = &m->w->pair[i];
        if (p->thread != e->thread || p->begin > (int64_t)release ||
            !pair_reaches(m->w, p, m->lock[lock].addr))
            continue;
        if (p->end > release)
            return;
        if (acquire == SN_NONE || acquire < p->end)
            acquire = p->end;
    }
    if (acquire == SN_NONE)
        return;
    bool shared = e->op == SN_EV_RDUNLOCK;
    close_missed(b, lock, e->thread, shared, acquire);
    end_before(b, lock, acquire);
    SN_PUSH(m->arena, m->section, m->nsections, m->cap_sections,
            (struct sn_section){e->thread, lock, acquire, release, shared, true, false});
}

static void end_section(struct builder *b, uint32_t event, uint64_t addr)
{
    const struct sn_wevent *e = &b->m->w->ev[event];
    uint32_t lock = lock_of(b, addr);
    need_open_list(b);
    for (uint32_t i = b->nheld[e->thread]; i-- > 0;) {
        uint32_t section = b->held[e->thread][i];
        if (b->m->section[section].lock != lock)
            continue;
        close_section(b, section, event);
        return;
    }
    if (b->m->use_pairs)
        begin_unseen(b, lock, event);
}

static void begin(struct builder *b, struct sn_model *m)
{
    b->m = m;
    b->cap_slots = b->cap_sets = 64;
    while (b->cap_slots < 2 * (m->n + m->w->nheld + m->nspin_held))
        b->cap_slots *= 2;
    b->cap_sets = b->cap_slots * 4; /* an event makes four new sets at most */
    b->slot = SN_NEW(m->arena, uint32_t, b->cap_slots);
    b->sets = SN_NEW(m->arena, uint32_t, b->cap_sets);
    b->held = SN_NEW(m->arena, uint32_t *, m->nthreads);
    b->nheld = SN_NEW(m->arena, uint32_t, m->nthreads);
    b->cap_held = SN_NEW(m->arena, uint32_t, m->nthreads);
    b->current = SN_NEW(m->arena, uint32_t, m->nthreads);
    b->sure = SN_NEW(m->arena, uint32_t, m->nthreads);
    m->lockset_of = SN_NEW(m->arena, uint32_t, m->n);
    m->sure_of = SN_NEW(m->arena, uint32_t, m->n);
    m->begins = SN_NEW(m->arena, uint32_t, m->n);
    memset(m->begins, 0xff, m->n * sizeof *m->begins);
    intern_set(b, NULL, 0);
}

/* A pair begins: what it can reach of the locks that its thread holds, it may give back. */
static void doubt(struct builder *b, uint32_t begin)
{
    struct sn_model *m = b->m;
    uint32_t thread = sn_thread_of(m, begin);
    while (b->next_pair < m->w->npairs && m->w->pair[b->next_pair].begin < (int64_t)begin)
        b->next_pair++;
    if (b->next_pair == m->w->npairs || m->w->pair[b->next_pair].begin != (int64_t)begin)
        return;
    for (uint32_t i = 0; i < b->nheld[thread]; i++) {
        struct sn_section *s = &m->section[b->held[thread][i]];
        s->unsure |= pair_reaches(m->w, &m->w->pair[b->next_pair], m->lock[s->lock].addr);
    }
    set_changed(b, thread);
}

static void step(struct builder *b, uint32_t i)
{
    const struct sn_wevent *e = &b->m->w->ev[i];
    b->m->lockset_of[i] = b->current[e->thread];
    b->m->sure_of[i] = b->sure[e->thread];
    if (e->op == SN_EV_LOCK || e->op == SN_EV_RDLOCK)
        open_section(b, e->thread, e->addr, e->op == SN_EV_RDLOCK, false, i);
    else if (e->op == SN_EV_UNLOCK || e->op == SN_EV_RDUNLOCK)
        end_section(b, i, e->addr);
    else if (e->op == SN_EV_LEAVE_CODE && b->m->use_pairs)
        doubt(b, i);
    else if (b->m->spin && b->m->spin[i] == SN_SPIN_TAKES)
        open_section(b, e->thread, e->addr | SPIN, false, false, i);
    else if (b->m->spin && b->m->spin[i] == SN_SPIN_GIVES)
        end_section(b, i, e->addr | SPIN);
}

static int by_lock(const void *a, const void *b)
{
    const struct sn_section *x = a, *y = b;
    uint32_t p = x->acquire + 1, q = y->acquire + 1; /* SN_NONE becomes 0: first */
    return x->lock != y->lock ? (x->lock > y->lock) - (x->lock < y->lock) : (p > q) - (p < q);
}

static void sections_by_lock(struct sn_model *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->nsections; i++)
        if (!m->section[i].dead)
            m->section[kept++] = m->section[i];
    m->nsections = kept;
    if (m->nsections)
        qsort(m->section, m->nsections, sizeof *m->section, by_lock);
    for (uint32_t i = 0; i < m->nsections; i++) {
        const struct sn_section *s = &m->section[i];
        struct sn_lock *l = &m->lock[s->lock];
        if (l->n == 0)
            l->first = i;
        const struct sn_section *one = &m->section[l->first];
        l->contested |= one->thread != s->thread;
        l->n++;
        if (s->acquire != SN_NONE)
            m->begins[s->acquire] = i;
    }
}

static void forget_all_shared(struct sn_model *m)
{
    for (uint32_t i = 0; i < m->nlocks; i++) {
        bool exclusive = false;
        for (uint32_t k = 0; k < m->lock[i].n; k++)
            exclusive |= !m->section[m->lock[i].first + k].shared;
        m->lock[i].contested &= exclusive;
    }
}

void sn_model_locks(struct sn_model *m)
{
    struct builder b = {0};
    begin(&b, m);
    for (uint32_t i = 0; i < m->w->nheld; i++)
        open_section(&b, m->w->held[i].thread, m->w->held[i].addr, m->w->held[i].shared,
                     m->w->held[i].unsure, SN_NONE);
    for (uint32_t i = 0; i < m->nspin_held; i++)
        open_section(&b, m->spin_held[i].thread, m->spin_held[i].addr | SPIN, false, false,
                     SN_NONE);
    for (uint32_t i = 0; i < m->n; i++)
        step(&b, i);
    sections_by_lock(m);
    forget_all_shared(m);
}
