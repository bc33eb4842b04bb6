/*
 * openmp_model.c: regions, their parts, tasks, groups of tasks, and what each of them orders.
 *
 * A task's end is told to those who can wait for it, each with an object of its own: the maker's
 * taskwait, the innermost taskgroup, the barrier that comes next in the region, tasks that depend
 * on it. So a taskwait does not come after grandchildren, nor after tasks of others.
 *
 * The barriers of a region take turns with two objects, so that who is slow to leave one is not
 * taken to come after those who are at the next already; nobody can be at the next but one. A task
 * ends before anybody leaves the barrier that its maker had not passed when it was made.
 *
 * Synchronisation objects are bytes of blocks from malloc(): free() makes the engine forget them.
 */
#include "runtime/openmp.h"

#include "runtime/emit.h"
#include "runtime/real.h"

const char *const sn_omp_libraries[] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so", 0};

struct sn_omp_region {
    uint32_t refs; /* atomic */
    char begin, end, barrier[2], ordered, reduced, loops;
};

struct group {
    struct group *outer;
    uint32_t refs; /* atomic */
    char ended;
};

enum { BUCKETS = 64 };

/* A variable that children of one task depend on. */
struct place {
    struct place *next;
    const void *variable;
    char object[SN_OMP_DEPENDS];
};

struct need {
    struct place *place;
    enum sn_omp_depend how;
    struct need *next;
};

struct sn_omp_task {
    struct sn_omp_task *maker;    /* null: a part of a region */
    struct sn_omp_region *region; /* null: a part outside of all */
    struct group *born;           /* the group that its end counts for */
    struct group *group;          /* the innermost that it is in now */
    struct place **places;        /* its children's, BUCKETS lists; the maker only changes them */
    struct need *needs;
    uint32_t refs;   /* atomic */
    int32_t pending; /* children that have not ended; atomic */
    unsigned phase;  /* barriers passed, by the part that it comes from */
    bool in_barrier, begun;
    char made, children;
};

void sn_omp_tell(enum sn_event_op op, const void *object, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return;
    struct sn_event ev = {.op = op, .addr = (uintptr_t)object, .pc = pc};
    sn_engine_event(t, &ev);
    sn_hook_leave(t);
}

void sn_omp_go(uintptr_t pc)
{
    if (sn_engine_gates)
        sn_omp_tell(SN_EV_BLOCK, 0, pc);
}

void sn_omp_come(uintptr_t pc)
{
    if (sn_engine_gates)
        sn_omp_tell(SN_EV_UNBLOCK, 0, pc);
}

void sn_omp_fresh(const void *p, uint64_t bytes)
{
    struct sn_thread *t = bytes ? sn_enter(0) : 0;
    if (!t)
        return;
    SN_EMIT(t, MAP, .addr = (uintptr_t)p, .size = bytes);
    sn_hook_leave(t);
}

void sn_omp_look(bool again)
{
    struct sn_thread *t = sn_enter(0);
    if (!t)
        return;
    struct sn_event ev = {.op = again ? SN_EV_WATCH : SN_EV_IGNORE, .value = 3};
    sn_engine_event(t, &ev);
    sn_hook_leave(t);
}

static void acquire(const void *object, uintptr_t pc)
{
    sn_omp_tell(SN_EV_ACQUIRE, object, pc);
}

static void release(const void *object, uintptr_t pc)
{
    sn_omp_tell(SN_EV_RELEASE_MERGE, object, pc);
}

static bool last(uint32_t *refs)
{
    return __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL) == 0;
}

static void keep(uint32_t *refs)
{
    __atomic_add_fetch(refs, 1, __ATOMIC_RELAXED);
}

static void leave_region(struct sn_omp_region *r)
{
    if (r && last(&r->refs))
        free(r);
}

static void leave_group(struct group *g)
{
    if (g && last(&g->refs))
        free(g);
}

static void free_places(struct place **places)
{
    for (unsigned i = 0; places && i < BUCKETS; i++)
        for (struct place *p = places[i], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    free(places);
}

static void free_needs(struct need *n)
{
    for (struct need *next; n; n = next) {
        next = n->next;
        free(n);
    }
}

void sn_omp_task_keep(struct sn_omp_task *k)
{
    if (k)
        keep(&k->refs);
}

/* Its maker may have been kept by it alone, and so on. */
void sn_omp_task_forget(struct sn_omp_task *k)
{
    while (k && last(&k->refs)) {
        struct sn_omp_task *maker = k->maker;
        leave_region(k->region);
        leave_group(k->born);
        free_places(k->places);
        free_needs(k->needs);
        free(k);
        k = maker;
    }
}

struct sn_omp_region *sn_omp_region_begin(uintptr_t pc)
{
    struct sn_omp_region *r = calloc(1, sizeof *r);
    if (!r)
        return 0;
    r->refs = 1;
    release(&r->begin, pc);
    return r;
}

void sn_omp_region_end(struct sn_omp_region *r, uintptr_t pc)
{
    if (!r)
        return;
    acquire(&r->end, pc);
    acquire(&r->barrier[0], pc);
    acquire(&r->barrier[1], pc);
    leave_region(r);
}

struct sn_omp_region *sn_omp_region_of(struct sn_omp_task *k)
{
    return k ? k->region : 0;
}

static struct sn_omp_task *new_task(struct sn_omp_region *r)
{
    struct sn_omp_task *k = calloc(1, sizeof *k);
    if (!k)
        return 0;
    k->refs = 1;
    k->region = r;
    if (r)
        keep(&r->refs);
    return k;
}

struct sn_omp_task *sn_omp_part_begin(struct sn_omp_region *r, uintptr_t pc)
{
    if (r)
        acquire(&r->begin, pc);
    return new_task(r);
}

void sn_omp_part_end(struct sn_omp_task *part, uintptr_t pc)
{
    if (!part)
        return;
    if (part->region)
        release(&part->region->end, pc);
    sn_omp_task_forget(part);
}

static const char *barrier_of(const struct sn_omp_task *k)
{
    return &k->region->barrier[k->phase & 1];
}

void sn_omp_barrier_enter(struct sn_omp_task *part, uintptr_t pc)
{
    if (!part || !part->region)
        return;
    part->in_barrier = true;
    release(barrier_of(part), pc);
}

void sn_omp_barrier_leave(struct sn_omp_task *part, uintptr_t pc)
{
    if (!part || !part->region)
        return;
    part->in_barrier = false;
    acquire(barrier_of(part), pc);
    part->phase++;
}

void sn_omp_unite_begin(struct sn_omp_task *part)
{
    if (part && part->in_barrier)
        acquire(barrier_of(part), 0);
}

void sn_omp_unite_end(struct sn_omp_task *part)
{
    if (part && part->in_barrier)
        release(barrier_of(part), 0);
}

struct sn_omp_task *sn_omp_task_new(struct sn_omp_task *maker)
{
    struct sn_omp_task *k = maker ? new_task(maker->region) : 0;
    if (!k)
        return 0;
    k->maker = maker;
    keep(&maker->refs);
    k->born = k->group = maker->group;
    if (k->born)
        keep(&k->born->refs);
    k->phase = maker->phase;
    return k;
}

static struct place **bucket_of(struct sn_omp_task *maker, const void *variable)
{
    return &maker->places[((uintptr_t)variable * 0x9e3779b97f4a7c15u) >> 58];
}

static struct place *find_place(struct sn_omp_task *maker, const void *variable)
{
    if (!maker->places)
        return 0;
    for (struct place *p = *bucket_of(maker, variable); p; p = p->next)
        if (p->variable == variable)
            return p;
    return 0;
}

static struct place *make_place(struct sn_omp_task *maker, const void *variable)
{
    struct place *p = find_place(maker, variable);
    if (p)
        return p;
    if (!maker->places)
        maker->places = calloc(BUCKETS, sizeof(struct place *));
    p = maker->places ? calloc(1, sizeof *p) : 0;
    if (!p)
        return 0;
    struct place **bucket = bucket_of(maker, variable);
    p->variable = variable;
    p->next = *bucket;
    *bucket = p;
    return p;
}

static void add_need(struct sn_omp_task *k, struct place *p, enum sn_omp_depend how)
{
    struct need *n = p ? malloc(sizeof *n) : 0;
    if (!n)
        return;
    *n = (struct need){.place = p, .how = how, .next = k->needs};
    k->needs = n;
}

/* The variable null stands for all memory (omp_all_memory): everybody depends on it who comes
 * after. */
void sn_omp_task_depend(struct sn_omp_task *k, const void *variable, enum sn_omp_depend how)
{
    if (!k || !k->maker)
        return;
    struct place *all = find_place(k->maker, 0);
    if (all && !k->needs)
        add_need(k, all, SN_OMP_IN);
    add_need(k, make_place(k->maker, variable), how);
}

void sn_omp_task_made(struct sn_omp_task *k, uintptr_t pc)
{
    if (!k)
        return;
    __atomic_add_fetch(&k->maker->pending, 1, __ATOMIC_RELAXED);
    release(&k->made, pc);
}

bool sn_omp_task_has_children(const struct sn_omp_task *k)
{
    return k && __atomic_load_n(&k->pending, __ATOMIC_RELAXED) > 0;
}

/* Those of a mutexinoutset come one after the other; those who read, and those of an inoutset, need
 * not. */
static void await(const struct sn_omp_task *k, const struct need *n, uintptr_t pc)
{
    for (enum sn_omp_depend other = 0; other < SN_OMP_DEPENDS; other++)
        if (other != n->how || n->how == SN_OMP_OUT || n->how == SN_OMP_MUTEX)
            acquire(&n->place->object[other], pc);
    if (!n->place->variable && n->how == SN_OMP_OUT)
        acquire(&k->maker->children, pc);
}

void sn_omp_task_begin(struct sn_omp_task *k, uintptr_t pc)
{
    if (!k || !k->maker || k->begun)
        return;
    k->begun = true;
    acquire(&k->made, pc);
    for (const struct need *n = k->needs; n; n = n->next)
        await(k, n, pc);
}

void sn_omp_task_done(struct sn_omp_task *k, uintptr_t pc)
{
    if (!k || !k->maker)
        return;
    for (const struct need *n = k->needs; n; n = n->next)
        release(&n->place->object[n->how], pc);
    release(&k->maker->children, pc);
    if (k->born)
        release(&k->born->ended, pc);
    if (k->region)
        release(barrier_of(k), pc);
}

void sn_omp_task_end(struct sn_omp_task *k, uintptr_t pc)
{
    sn_omp_task_done(k, pc);
    if (k && k->maker)
        __atomic_sub_fetch(&k->maker->pending, 1, __ATOMIC_RELAXED);
    sn_omp_task_forget(k);
}

void sn_omp_task_wait(struct sn_omp_task *k, uintptr_t pc)
{
    if (k)
        acquire(&k->children, pc);
}

void sn_omp_group_begin(struct sn_omp_task *k)
{
    struct group *g = k ? calloc(1, sizeof *g) : 0;
    if (!g)
        return;
    g->refs = 1;
    g->outer = k->group;
    k->group = g;
}

void sn_omp_group_wait(struct sn_omp_task *k, uintptr_t pc)
{
    if (k && k->group)
        acquire(&k->group->ended, pc);
}

void sn_omp_group_end(struct sn_omp_task *k, uintptr_t pc)
{
    struct group *g = k ? k->group : 0;
    if (!g || g == k->born) /* that one was not begun here */
        return;
    acquire(&g->ended, pc);
    k->group = g->outer;
    leave_group(g);
}

void sn_omp_loop_told(struct sn_omp_task *k, uintptr_t pc)
{
    if (k && k->region)
        release(&k->region->loops, pc);
}

void sn_omp_loop_taken(struct sn_omp_task *k, uintptr_t pc)
{
    if (k && k->region)
        acquire(&k->region->loops, pc);
}

static char outside_ordered, outside_reduced;

const void *sn_omp_ordered(struct sn_omp_task *k)
{
    return k && k->region ? &k->region->ordered : &outside_ordered;
}

const void *sn_omp_reduced(struct sn_omp_task *k)
{
    return k && k->region ? &k->region->reduced : &outside_reduced;
}

/* Iterations that share an object are ordered more than they need be. */
const void *sn_omp_iteration(struct sn_omp_task *k, const int64_t *vector, unsigned n)
{
    enum { BITS = 12 };
    static char object[1 << BITS];
    uint64_t h = (uintptr_t)sn_omp_region_of(k) >> 4;
    for (unsigned i = 0; i < n; i++)
        h = (h ^ (uint64_t)vector[i]) * 0x9e3779b97f4a7c15u;
    return &object[h >> (64 - BITS)];
}
