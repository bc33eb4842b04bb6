/*
 * explore.c: systematic search with dynamic partial-order reduction (Flanagan and Godefroid, POPL
 * 2005) and sleep sets. Scheduling points are the visible operations: locks, waits, atomics. Plain
 * accesses need none: if all orders of visible operations are tried and none shows a data race by
 * happens-before, then no order at all has one.
 *
 * A run follows the stack of decisions of the last one up to the first that is to be changed. At each
 * decision, for every task's pending operation the last operation that does not commute with it and
 * is not ordered before it is looked up; there, the other order must be tried, too.
 */
#include <stdlib.h>
#include <string.h>

#include "check/strategy.h"

#define TASKS 32u       /* more: not exhaustive */
#define DEPTH_MOST 3000u
#define SLICE 50000     /* steps between two visible operations */
#define STREAK_MOST 60u /* visible operations in a row by one task while others wait: it spins */

struct clock {
    int32_t last[TASKS]; /* index of the last decision of each task that is known */
};

struct node {
    bool is_choice;          /* sn_choose(): `now` of `n` */
    uint64_t n, now;
    uint32_t enabled, backtrack, done, sleep; /* bits of tasks */
    uint8_t task;
    struct sn_visible op;
};

struct object {
    uint64_t addr;
    struct clock written, read;
};

struct sn_explorer {
    struct sn_strategy strategy;
    struct node *node;
    size_t n, cap;
    size_t depth;            /* of the run that is going on */
    bool complete;           /* nothing was cut off */
    bool redundant;          /* the run only repeats: everything enabled sleeps */
    struct clock clock[TASKS];
    struct object *object;
    size_t nobject, cap_object;
    struct sn_visible pending[TASKS]; /* at the current decision */
    uint32_t known_tasks, streak;
    int last_task;
};

static struct clock *unknown(struct clock *c)
{
    memset(c->last, 0xff, sizeof c->last);
    return c;
}

static void join(struct clock *to, const struct clock *from)
{
    for (unsigned k = 0; k < TASKS; k++)
        to->last[k] = to->last[k] > from->last[k] ? to->last[k] : from->last[k];
}

static bool touches(const struct sn_visible *a, uint64_t object)
{
    return object != 0 && (a->object[0] == object || a->object[1] == object);
}

static bool dependent(const struct sn_visible *a, const struct sn_visible *b)
{
    bool any = (touches(a, SN_OBJECT_ANY) && b->object[0] != 0) || (touches(b, SN_OBJECT_ANY) && a->object[0] != 0);
    if (any)
        return true;
    return (a->write || b->write) && (touches(a, b->object[0]) || touches(a, b->object[1]));
}

/* --- ordering of the run's own operations --- */

static struct object *object_of(struct sn_explorer *x, uint64_t addr)
{
    for (size_t i = 0; i < x->nobject; i++)
        if (x->object[i].addr == addr)
            return &x->object[i];
    if (x->nobject == x->cap_object) {
        x->cap_object = x->cap_object ? x->cap_object * 2 : 32;
        x->object = realloc(x->object, x->cap_object * sizeof *x->object);
        if (x->object == NULL)
            abort();
    }
    struct object *o = &x->object[x->nobject++];
    o->addr = addr;
    unknown(&o->written);
    unknown(&o->read);
    return o;
}

static void order_with(struct sn_explorer *x, struct clock *c, const struct sn_visible *op)
{
    for (unsigned k = 0; k < 2; k++) {
        if (op->object[k] == 0)
            continue;
        struct object *o = object_of(x, op->object[k]);
        join(c, &o->written);
        if (op->write)
            join(c, &o->read);
    }
}

static void record(struct sn_explorer *x, const struct clock *c, const struct sn_visible *op)
{
    for (unsigned k = 0; k < 2; k++)
        if (op->object[k] != 0)
            join(op->write ? &object_of(x, op->object[k])->written : &object_of(x, op->object[k])->read, c);
}

/* A task that has appeared knows what its creator knew. */
static void meet_new_tasks(struct sn_explorer *x, const struct sn_vm *vm)
{
    for (; x->known_tasks < vm->ntask && x->known_tasks < TASKS; x->known_tasks++) {
        int32_t parent = vm->task[x->known_tasks]->made.task;
        unknown(&x->clock[x->known_tasks]);
        if (parent >= 0 && parent < (int32_t)TASKS)
            x->clock[x->known_tasks] = x->clock[parent];
    }
}

/* What a task learns by joining others: everything that has ended is known to whoever waits for it. */
static void learn_from_ended(struct sn_explorer *x, const struct sn_vm *vm, uint32_t id)
{
    for (uint32_t k = 0; k < vm->ntask && k < TASKS; k++)
        if (k != id && vm->task[k]->joined && sn_vclock_knows(&vm->task[id]->clock, vm->task[k]->epoch))
            join(&x->clock[id], &x->clock[k]);
}

/* --- decisions --- */

static struct node *push(struct sn_explorer *x)
{
    if (x->n == x->cap) {
        x->cap = x->cap ? x->cap * 2 : 256;
        x->node = realloc(x->node, x->cap * sizeof *x->node);
        if (x->node == NULL)
            abort();
    }
    x->node[x->n] = (struct node){0};
    return &x->node[x->n++];
}

/* The last decision that the pending operation of `task` could have preceded instead. */
static void backtrack(struct sn_explorer *x, uint32_t task)
{
    const struct sn_visible *op = &x->pending[task];
    for (size_t i = x->depth; i-- > 0;) {
        struct node *n = &x->node[i];
        if (n->is_choice || n->task == task || !dependent(&n->op, op))
            continue;
        if ((int32_t)i <= x->clock[task].last[n->task])
            return; /* ordered before, and so is all that it is ordered with */
        n->backtrack |= n->enabled & 1u << task ? 1u << task : n->enabled;
        return;
    }
}

static uint32_t collect(struct sn_explorer *x, struct sn_vm *vm)
{
    uint32_t enabled = 0;
    for (uint32_t k = 0; k < vm->ntask && k < TASKS; k++) {
        const struct sn_task *t = vm->task[k];
        bool can = t->state == SN_READY || (t->state == SN_BLOCKED && t->timed);
        if (!can)
            continue;
        enabled |= 1u << k;
        x->pending[k] = t->pending;
    }
    return enabled;
}

/* Where the run leaves what is known: a new decision. Tasks sleep on while what they want commutes. */
static struct node *new_node(struct sn_explorer *x, uint32_t enabled)
{
    uint32_t sleep = 0;
    for (size_t i = x->n; i-- > 0;) {
        const struct node *p = &x->node[i];
        if (p->is_choice)
            continue;
        for (uint32_t k = 0; k < TASKS; k++)
            if ((p->sleep | (p->done & ~(1u << p->task))) >> k & 1 && k != p->task && enabled >> k & 1 &&
                !dependent(&x->pending[k], &p->op))
                sleep |= 1u << k;
        break;
    }
    struct node *n = push(x);
    n->enabled = enabled;
    n->sleep = sleep;
    return n;
}

static int first_of(uint32_t bits) { return bits ? __builtin_ctz(bits) : -1; }

/* The one that ran last goes on if it can: fewer switches, and nothing is lost. */
static int default_choice(const struct sn_explorer *x, uint32_t enabled)
{
    return x->last_task >= 0 && enabled >> x->last_task & 1 ? x->last_task : first_of(enabled);
}

static void take(struct sn_explorer *x, struct sn_vm *vm, struct node *n, uint32_t task)
{
    struct clock c = x->clock[task];
    n->task = (uint8_t)task;
    n->op = x->pending[task];
    n->done |= 1u << task;
    n->backtrack |= 1u << task;
    learn_from_ended(x, vm, task);
    join(&c, &x->clock[task]);
    order_with(x, &c, &n->op);
    c.last[task] = (int32_t)x->depth;
    x->clock[task] = c;
    record(x, &c, &n->op);
    x->streak = x->last_task == (int)task ? x->streak + 1 : 0;
    x->last_task = (int)task;
    x->depth++;
}

/* A task that does not stand before a visible operation runs up to its next one first: nobody can
 * tell when. The youngest goes first, so that a long way of its creator does not use up the run. */
static struct sn_task *on_its_way(struct sn_vm *vm)
{
    struct sn_task *youngest = NULL;
    for (size_t i = 0; i < vm->nready; i++) {
        struct sn_task *t = vm->task[vm->ready[i]];
        if (!t->at_point && t->phase == 0 && (youngest == NULL || t->id > youngest->id))
            youngest = t;
    }
    return youngest;
}

static void begin(struct sn_vm *vm, struct sn_strategy *s)
{
    struct sn_explorer *x = s->state;
    (void)vm;
    x->depth = x->nobject = 0;
    x->known_tasks = x->streak = 0;
    x->last_task = -1;
    x->redundant = false;
    memset(x->pending, 0, sizeof x->pending);
}

static uint32_t decide(struct sn_explorer *x, uint32_t enabled, struct node **node)
{
    if (x->depth < x->n) {
        *node = &x->node[x->depth];
        if (!(*node)->is_choice && enabled >> (*node)->task & 1)
            return (*node)->task;
        x->complete = false; /* the run went another way: give the rest up */
        x->n = x->depth;
    }
    *node = new_node(x, enabled);
    uint32_t awake = enabled & ~(*node)->sleep;
    if (awake == 0)
        x->redundant = true;
    int task = default_choice(x, awake ? awake : enabled);
    if (x->streak > STREAK_MOST && enabled & ~(1u << task)) {
        x->complete = false;
        x->streak = 0;
        task = first_of(enabled & ~(1u << task));
    }
    return (uint32_t)task;
}

static struct sn_task *pick(struct sn_vm *vm, struct sn_strategy *s)
{
    struct sn_explorer *x = s->state;
    meet_new_tasks(x, vm);
    struct sn_task *t = on_its_way(vm);
    if (t != NULL) {
        sn_resume(vm, t, SLICE);
        return t;
    }
    uint32_t enabled = collect(x, vm);
    if (vm->ntask > TASKS || x->depth >= DEPTH_MOST)
        x->complete = false;
    if (enabled == 0 || x->redundant || x->depth >= DEPTH_MOST)
        return NULL;
    for (uint32_t k = 0; k < TASKS; k++)
        if (enabled >> k & 1)
            backtrack(x, k);
    struct node *n;
    uint32_t task = decide(x, enabled, &n);
    take(x, vm, n, task);
    sn_resume(vm, vm->task[task], SLICE);
    return vm->task[task];
}

static bool point(struct sn_vm *vm, struct sn_strategy *s, struct sn_task *t)
{
    (void)vm, (void)s, (void)t;
    return true;
}

static uint64_t choose(struct sn_vm *vm, struct sn_strategy *s, uint64_t n)
{
    struct sn_explorer *x = s->state;
    (void)vm;
    if (x->depth >= x->n) {
        struct node *c = push(x);
        c->is_choice = true;
        c->n = n;
    }
    struct node *c = &x->node[x->depth++];
    if (!c->is_choice)
        x->complete = false;
    return c->is_choice && c->now < n ? c->now : 0;
}

struct sn_explorer *sn_explorer_new(void)
{
    struct sn_explorer *x = calloc(1, sizeof *x);
    if (x == NULL)
        abort();
    x->strategy = (struct sn_strategy){"explore", begin, pick, point, choose, x};
    x->complete = true;
    return x;
}

void sn_explorer_free(struct sn_explorer *x)
{
    free(x->node);
    free(x->object);
    free(x);
}

struct sn_strategy *sn_explorer_strategy(struct sn_explorer *x) { return &x->strategy; }
bool sn_explorer_complete(const struct sn_explorer *x) { return x->complete; }
void sn_explorer_cut(struct sn_explorer *x) { x->complete = false; }

bool sn_explorer_next(struct sn_explorer *x)
{
    x->n = x->depth < x->n ? x->depth : x->n;
    for (; x->n > 0; x->n--) {
        struct node *n = &x->node[x->n - 1];
        if (n->is_choice) {
            if (++n->now < n->n)
                return true;
            continue;
        }
        int task = first_of(n->backtrack & ~n->done & ~n->sleep);
        if (task >= 0) {
            n->task = (uint8_t)task;
            return true;
        }
    }
    return false;
}
