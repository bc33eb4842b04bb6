/*
 * clock.c: vector clocks for mode hb (section 3.5): immutable AVL trees from thread number to time,
 * passed by reference. A thread's time advances at points only, so that synchronisation without a
 * point in between hands on the very same tree, and joining two equal references costs nothing.
 *
 * Nodes are never changed and never freed: a run has as many as its points and joins make, and when
 * the slab is full clocks stay as they are, which adds candidates, never a report.
 */
#include "tsvd.h"

#include "core/slab.h"
#include "core/sync.h"

struct node {
    uint32_t thread, tick;
    uint32_t left, right; /* handles; 0: none */
    uint32_t height, pad;
};

SN_SLAB(nodes, struct node, 12, 1u << 23);

static const struct node *at(uint32_t h)
{
    return sn_slab_at(&nodes, h);
}

static uint32_t height(uint32_t h)
{
    return h ? at(h)->height : 0;
}

static uint32_t make(uint32_t thread, uint32_t tick, uint32_t left, uint32_t right)
{
    uint32_t h = sn_slab_alloc(&nodes), l = height(left), r = height(right);
    if (h)
        *(struct node *)sn_slab_at(&nodes, h) =
            (struct node){thread, tick, left, right, 1 + (l > r ? l : r), 0};
    return h;
}

/* make() for children whose heights differ by at most two. */
static uint32_t balance(uint32_t thread, uint32_t tick, uint32_t left, uint32_t right)
{
    if (height(left) > height(right) + 1) {
        const struct node *l = at(left);
        if (height(l->left) >= height(l->right))
            return make(l->thread, l->tick, l->left, make(thread, tick, l->right, right));
        const struct node *m = at(l->right);
        return make(m->thread, m->tick, make(l->thread, l->tick, l->left, m->left),
                    make(thread, tick, m->right, right));
    }
    if (height(right) > height(left) + 1) {
        const struct node *r = at(right);
        if (height(r->right) >= height(r->left))
            return make(r->thread, r->tick, make(thread, tick, left, r->left), r->right);
        const struct node *m = at(r->left);
        return make(m->thread, m->tick, make(thread, tick, left, m->left),
                    make(r->thread, r->tick, m->right, r->right));
    }
    return make(thread, tick, left, right);
}

static uint32_t get(uint32_t tree, uint32_t thread)
{
    while (tree) {
        const struct node *n = at(tree);
        if (n->thread == thread)
            return n->tick;
        tree = thread < n->thread ? n->left : n->right;
    }
    return 0;
}

/* The same tree when it says so already. */
static uint32_t put(uint32_t tree, uint32_t thread, uint32_t tick)
{
    if (!tree)
        return make(thread, tick, 0, 0);
    const struct node *n = at(tree);
    if (n->thread == thread)
        return n->tick >= tick ? tree : make(thread, tick, n->left, n->right);
    if (thread < n->thread) {
        uint32_t left = put(n->left, thread, tick);
        return left == n->left ? tree : balance(n->thread, n->tick, left, n->right);
    }
    uint32_t right = put(n->right, thread, tick);
    return right == n->right ? tree : balance(n->thread, n->tick, n->left, right);
}

static uint32_t put_all(uint32_t into, uint32_t from)
{
    if (!from || into == from)
        return into;
    const struct node *n = at(from);
    into = put_all(into, n->left);
    into = put(into, n->thread, n->tick);
    return put_all(into, n->right);
}

/* The smaller tree goes into the larger one. */
static uint32_t join(uint32_t a, uint32_t b)
{
    if (a == b || !b)
        return a;
    return height(a) >= height(b) ? put_all(a, b) : put_all(b, a);
}

/* What the thread hands on: its clock with its own time. */
static uint32_t own(struct sn_thread *t)
{
    struct sn_tsvd_thread *s = sn_tsvd_of(t);
    if (s->tick && get(s->clock, t->number) < s->tick)
        s->clock = put(s->clock, t->number, s->tick);
    return s->clock;
}

static void acquire(struct sn_thread *t, uintptr_t addr)
{
    struct sn_sync *x = sn_sync_find(addr);
    if (!x)
        return;
    uint32_t c = (uint32_t)__atomic_load_n(&x->engine[0], __ATOMIC_ACQUIRE);
    sn_tsvd_of(t)->clock = join(sn_tsvd_of(t)->clock, c);
}

static void release(struct sn_thread *t, uintptr_t addr, bool merge)
{
    struct sn_sync *x = sn_sync_get(addr, SN_SYNC_ANY);
    if (!x)
        return;
    uint32_t c = own(t);
    sn_sync_lock(x);
    if (merge)
        c = join(c, (uint32_t)x->engine[0]);
    __atomic_store_n(&x->engine[0], c, __ATOMIC_RELEASE); /* pairs with acquire() */
    sn_sync_unlock(x);
}

static void dropped(struct sn_sync *x)
{
    x->engine[0] = 0;
}

void sn_tsvd_clock_new(struct sn_thread *t, struct sn_thread *parent)
{
    sn_sync_on_drop = dropped;
    if (parent)
        sn_tsvd_of(t)->clock = own(parent);
}

static void joined(struct sn_thread *t, uint32_t number)
{
    struct sn_thread *other = sn_thread_by_number(number);
    if (other)
        sn_tsvd_of(t)->clock = join(sn_tsvd_of(t)->clock, own(other));
}

/* Read locks order like write locks here, which can only hide candidates of this mode. */
void sn_tsvd_clock_event(struct sn_thread *t, const struct sn_event *ev)
{
    switch ((enum sn_event_op)ev->op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
    case SN_EV_COND_WAKE:
    case SN_EV_BARRIER_LEAVE:
    case SN_EV_SEM_WAIT:
    case SN_EV_ONCE_SEEN:
    case SN_EV_ACQUIRE:
        acquire(t, ev->addr);
        break;
    case SN_EV_UNLOCK:
    case SN_EV_RELEASE:
    case SN_EV_ONCE_DONE:
        release(t, ev->addr, false);
        break;
    case SN_EV_RDUNLOCK:
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
    case SN_EV_BARRIER_ENTER:
    case SN_EV_SEM_POST:
    case SN_EV_RELEASE_MERGE:
        release(t, ev->addr, true);
        break;
    case SN_EV_JOIN:
        joined(t, (uint32_t)ev->value);
        break;
    case SN_EV_END:
        own(t);
        break;
    default:
        break;
    }
}

bool sn_tsvd_clock_before(struct sn_thread *t, uint32_t thread, uint32_t tick)
{
    return get(sn_tsvd_of(t)->clock, thread) >= tick;
}
