/*
 * sync.c: the order between threads that every reordering keeps: fork and join (Algorithm 8 of the
 * RDIT paper), and for the other means of synchronisation that C programs have, the part of the
 * observed order that decides how they behave.
 *
 * Objects with two kinds of operation (enter and leave a barrier, release and acquire) keep each
 * operation on its side of those of the other kind; operations of the same kind may change places.
 * So every barrier has the same threads in each round. For a semaphore less is enough: a wait after
 * all the posts that it came after.
 *
 * What was released is also acquired by an atomic load of the same word: a C++ guard, a future's
 * status or a library's flag is set in code that is not recorded, and looked at in code that is.
 *
 * A wait for a condition ends after the signals that came while it waited; and they came while it
 * waited, but that only counts once it has ended: a signal does not need anybody who waits.
 */
#include "predict/model.h"

#include <string.h>

enum side { SIDE_GIVES, SIDE_TAKES };

/* The last operation of each thread on one side; `since` marks those after the last change of side.
 */
struct layer {
    uint32_t *event; /* by thread; SN_NONE */
};

struct object {
    uint64_t addr;
    uint8_t family;
    enum side side;           /* of the newest operation */
    struct layer now, before; /* this side's since the change; the other's before it */
    struct layer gives;       /* all that were given so far: what a taker happens after */
};

struct builder {
    struct sn_model *m;
    struct object **object; /* hash table */
    uint32_t cap, n;
};

/* What an operation is to its object; 0: nothing. */
struct role {
    uint8_t family; /* objects of different families never meet, even at one address */
    enum side side;
    bool keep; /* takers hold back givers too */
};

enum { BARRIER = 1, SEM, ONCE, NOTE };

static bool role_of(const struct sn_wevent *e, struct role *r)
{
    switch (e->op) {
    case SN_EV_BARRIER_ENTER:
        *r = (struct role){BARRIER, SIDE_GIVES, true};
        return true;
    case SN_EV_BARRIER_LEAVE:
        *r = (struct role){BARRIER, SIDE_TAKES, true};
        return true;
    case SN_EV_SEM_POST:
        *r = (struct role){SEM, SIDE_GIVES, false};
        return true;
    case SN_EV_SEM_WAIT:
        *r = (struct role){SEM, SIDE_TAKES, false};
        return true;
    case SN_EV_ONCE_DONE:
        *r = (struct role){ONCE, SIDE_GIVES, true};
        return true;
    case SN_EV_ONCE_SEEN:
        *r = (struct role){ONCE, SIDE_TAKES, true};
        return true;
    case SN_EV_RELEASE:
    case SN_EV_RELEASE_MERGE:
        *r = (struct role){NOTE, SIDE_GIVES, true};
        return true;
    case SN_EV_ACQUIRE:
        *r = (struct role){NOTE, SIDE_TAKES, true};
        return true;
    default:
        return false;
    }
}

static struct layer new_layer(struct sn_model *m)
{
    struct layer l = {SN_NEW(m->arena, uint32_t, m->nthreads)};
    memset(l.event, 0xff, m->nthreads * sizeof *l.event);
    return l;
}

static uint32_t slot_of(const struct builder *b, uint64_t addr, uint8_t family)
{
    uint32_t i = (uint32_t)((addr ^ family) * 0x9e3779b97f4a7c15ull >> 40) & (b->cap - 1);
    while (b->object[i] && (b->object[i]->addr != addr || b->object[i]->family != family))
        i = (i + 1) & (b->cap - 1);
    return i;
}

static struct object *object_of(struct builder *b, uint64_t addr, uint8_t family)
{
    uint32_t i = slot_of(b, addr, family);
    if (!b->object[i]) {
        struct object *o = SN_NEW(b->m->arena, struct object, 1);
        *o = (struct object){.addr = addr,
                             .family = family,
                             .side = SIDE_GIVES,
                             .now = new_layer(b->m),
                             .before = new_layer(b->m),
                             .gives = new_layer(b->m)};
        b->object[i] = o;
    }
    return b->object[i];
}

static void edges_from(struct sn_model *m, const struct layer *l, uint32_t to,
                       enum sn_edge_kind kind)
{
    for (uint32_t t = 0; t < m->nthreads; t++)
        if (l->event[t] != SN_NONE)
            sn_edge_add(m, &m->edges, l->event[t], to, kind);
}

static void change_side(struct sn_model *m, struct object *o, enum side side)
{
    struct layer spare = o->before;
    if (o->side == side)
        return;
    o->before = o->now;
    o->now = spare;
    memset(o->now.event, 0xff, m->nthreads * sizeof *o->now.event);
    o->side = side;
}

static void operate(struct builder *b, uint32_t i, uint64_t addr, struct role r)
{
    struct sn_model *m = b->m;
    struct object *o = object_of(b, addr, r.family);
    uint32_t t = sn_thread_of(m, i);
    change_side(m, o, r.side);
    if (r.side == SIDE_TAKES)
        edges_from(m, &o->gives, i, SN_EDGE_ORDER);
    else if (r.keep)
        edges_from(m, &o->before, i, SN_EDGE_KEEP);
    o->now.event[t] = i;
    if (r.side == SIDE_GIVES)
        o->gives.event[t] = i;
}

static bool looks_at_note(const struct builder *b, const struct sn_wevent *e)
{
    return (e->op == SN_EV_ATOMIC_LOAD || e->op == SN_EV_ATOMIC_RMW) && e->order != SN_RELAXED &&
           e->order != SN_RELEASE && b->object[slot_of(b, e->addr, NOTE)];
}

/* The unlock with which the wait began that ends at `wake`; SN_NONE: before the window. */
static uint32_t wait_began(const struct sn_model *m, uint32_t wake)
{
    const uint32_t *list = m->list[sn_thread_of(m, wake)];
    for (uint32_t p = m->pos[wake]; p-- > 0;) {
        const struct sn_wevent *e = &m->w->ev[list[p]];
        if (e->op == SN_EV_UNLOCK && e->flags & SN_EF_COND)
            return list[p];
    }
    return SN_NONE;
}

/* Signals of other threads to the condition while it waited: of each thread the first must not come
 * before the wait, the last is before its end. */
static void wake_up(struct sn_model *m, uint32_t wake)
{
    const struct sn_wevent *e = &m->w->ev[wake];
    uint32_t began = wait_began(m, wake), *first = SN_NEW(m->arena, uint32_t, m->nthreads);
    uint32_t *last = SN_NEW(m->arena, uint32_t, m->nthreads);
    memset(first, 0xff, m->nthreads * sizeof *first);
    memset(last, 0xff, m->nthreads * sizeof *last);
    for (uint32_t i = began == SN_NONE ? 0 : began + 1; i < wake; i++) {
        const struct sn_wevent *s = &m->w->ev[i];
        if ((s->op != SN_EV_COND_SIGNAL && s->op != SN_EV_COND_BROADCAST) || s->addr != e->addr)
            continue;
        first[s->thread] = first[s->thread] == SN_NONE ? i : first[s->thread];
        last[s->thread] = i;
    }
    for (uint32_t t = 0; t < m->nthreads; t++) {
        if (last[t] == SN_NONE || t == e->thread)
            continue;
        sn_edge_add(m, &m->edges, last[t], wake, SN_EDGE_ORDER);
        if (began != SN_NONE)
            SN_PUSH(m->arena, m->guard, m->nguards, m->cap_guards,
                    (struct sn_guard){wake, began, first[t]});
    }
}

/* Threads. */

static uint32_t thread_index(const struct sn_model *m, uint64_t number)
{
    for (uint32_t t = 0; t < m->nthreads; t++)
        if (m->w->thread[t] == number)
            return t;
    return SN_NONE;
}

static void fork_or_join(struct sn_model *m, uint32_t i)
{
    const struct sn_wevent *e = &m->w->ev[i];
    uint32_t other = thread_index(m, e->value);
    if (other == SN_NONE || m->length[other] == 0 || other == e->thread)
        return;
    uint32_t first = m->list[other][0], last = m->list[other][m->length[other] - 1];
    if (e->op == SN_EV_CREATE && first > i)
        sn_edge_add(m, &m->edges, i, first, SN_EDGE_ORDER);
    else if (e->op == SN_EV_JOIN && last < i)
        sn_edge_add(m, &m->edges, last, i, SN_EDGE_ORDER);
}

/* The allocator: memory is handed out again only after it was given back. */

struct freed {
    uint64_t addr, end;
    uint32_t event;
};

static void reuse(struct sn_model *m, struct freed *freed, uint32_t *n, uint32_t i)
{
    const struct sn_wevent *e = &m->w->ev[i];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < *n; k++) {
        if (freed[k].addr < e->addr + e->size && e->addr < freed[k].end)
            sn_edge_add(m, &m->edges, freed[k].event, i, SN_EDGE_ORDER);
        else
            freed[kept++] = freed[k];
    }
    *n = kept;
}

static void allocator(struct sn_model *m)
{
    struct freed *freed = NULL;
    uint32_t n = 0, cap = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct sn_wevent *e = &m->w->ev[i];
        if (e->op == SN_EV_FREE || e->op == SN_EV_UNMAP)
            SN_PUSH(m->arena, freed, n, cap, (struct freed){e->addr, e->addr + e->size, i});
        else if (e->op == SN_EV_ALLOC || e->op == SN_EV_MAP)
            reuse(m, freed, &n, i);
    }
}

void sn_model_sync(struct sn_model *m)
{
    struct builder b = {.m = m, .cap = 64};
    struct role r;
    while (b.cap < 2 * m->n)
        b.cap *= 2;
    b.object = SN_NEW(m->arena, struct object *, b.cap);
    for (uint32_t i = 0; i < m->n; i++) {
        const struct sn_wevent *e = &m->w->ev[i];
        if (role_of(e, &r))
            operate(&b, i, e->addr, r);
        else if (looks_at_note(&b, e))
            operate(&b, i, e->addr, (struct role){NOTE, SIDE_TAKES, true});
        else if (e->op == SN_EV_CREATE || e->op == SN_EV_JOIN)
            fork_or_join(m, i);
        else if (e->op == SN_EV_COND_WAKE)
            wake_up(m, i);
    }
    allocator(m);
}
