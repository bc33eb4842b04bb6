/*
 * hybrid_exact_test.c: the engine against a naive hybrid detector that keeps every access of every byte
 * with its lock set and a full vector clock. Random programs of a few threads, locks (for writing and
 * reading, several at a time), messages, joins, atomics and memory that is given back and taken again.
 * With every filter the engine tells the very pairs of sites that the naive one does.
 *
 * The engine's files are compiled in, but report.c: here candidates are noted in a table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "access.h"
#include "core/ctx_cache.h"
#include "core/engine.h"
#include "core/options.h"
#include "hybrid.h"
#include "report.h"

enum { THREADS = 4, LOCKS = 3, OBJECTS = 3, BYTES = 24, SITES = 24, STEPS = 200, PROGRAMS = 2500 };

static char told[SITES][SITES], model_told[SITES][SITES];

static int site_of(uint32_t place)
{
    return (int)(sn_ctx_pc(sn_record_where(place)) - 0x2000) / 16;
}

int sn_hybrid_is_new(const struct sn_candidate *c)
{
    int i = site_of(c->place), j = site_of(c->b);
    return !told[i][j];
}

void sn_hybrid_report(struct sn_thread *t, const struct sn_candidate *c)
{
    int i = site_of(c->place), j = site_of(c->b);
    (void)t;
    told[i][j] = told[j][i] = 1;
}

/* The engine's other neighbour in the runtime, not used here. */
struct sn_draft_block;
int (*sn_draft_find_block)(uintptr_t addr, struct sn_draft_block *out);

/* The naive detector. */
struct access {
    int thread, site, write, atomic;
    unsigned clock, exclusive, shared;
};

struct clock {
    unsigned c[THREADS];
};

static struct {
    struct clock thread[THREADS], object[OBJECTS];
    struct access *history[BYTES];
    int n[BYTES];
} model;

static void raise_to(struct clock *to, const struct clock *from)
{
    for (int i = 0; i < THREADS; i++)
        if (to->c[i] < from->c[i])
            to->c[i] = from->c[i];
}

static int protected(const struct access *a, const struct access *b)
{
    return (a->exclusive & (b->exclusive | b->shared)) || (b->exclusive & a->shared);
}

static void model_access(struct access me, int at, int size)
{
    for (int b = at; b < at + size; b++) {
        for (int i = 0; i < model.n[b]; i++) {
            struct access *a = &model.history[b][i];
            if (a->thread != me.thread && (a->write || me.write) && !(a->atomic && me.atomic) &&
                a->clock > model.thread[me.thread].c[a->thread] && !protected(a, &me))
                model_told[a->site][me.site] = model_told[me.site][a->site] = 1;
        }
        model.history[b][model.n[b]++] = me;
    }
}

/* The program under test: threads are records that take turns on this one. */
static struct sn_thread *threads[THREADS];
static unsigned char *memory;
static char *objects; /* addresses of locks and of what carries messages */
static unsigned random_state;
static unsigned exclusive[THREADS], shared[THREADS]; /* locks held, a bit each */
static int ended[THREADS];

static unsigned pick(unsigned n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % n;
}

static void become(int thread)
{
    sn_self = threads[thread];
    sn_clock_set_key(sn_self);
}

static void tell(int thread, enum sn_event_op op, uintptr_t addr, size_t size, uint64_t value)
{
    struct sn_event ev = {.op = (uint8_t)op, .addr = addr, .size = size, .value = value, .pc = 0x1000};
    sn_engine_event(threads[thread], &ev);
}

static uintptr_t lock_at(int i)
{
    return (uintptr_t)objects + 64 * (uintptr_t)i;
}

static uintptr_t object_at(int i)
{
    return (uintptr_t)objects + 2048 + 64 * (uintptr_t)i;
}

static void step_lock(int t)
{
    unsigned l = pick(LOCKS), bit = 1u << l, others = 0, readers = 0;
    for (int i = 0; i < THREADS; i++)
        if (i != t) {
            others |= exclusive[i];
            readers |= shared[i];
        }
    if (exclusive[t] & bit) {
        tell(t, SN_EV_UNLOCK, lock_at((int)l), 0, 0);
        exclusive[t] &= ~bit;
    } else if (shared[t] & bit) {
        tell(t, SN_EV_RDUNLOCK, lock_at((int)l), 0, 0);
        shared[t] &= ~bit;
    } else if (!(others & bit) && pick(2)) {
        tell(t, SN_EV_RDLOCK, lock_at((int)l), 0, 0);
        shared[t] |= bit;
    } else if (!((others | readers) & bit)) {
        tell(t, SN_EV_LOCK, lock_at((int)l), 0, 0);
        exclusive[t] |= bit;
    }
}

static void step_message(int t)
{
    int o = (int)pick(OBJECTS);
    struct clock *c = &model.object[o];
    switch (pick(4)) {
    case 0:
        tell(t, SN_EV_SEM_POST, object_at(o), 0, 0);
        raise_to(c, &model.thread[t]);
        model.thread[t].c[t]++;
        break;
    case 1:
        tell(t, SN_EV_RELEASE, object_at(o), 0, 0);
        *c = model.thread[t];
        model.thread[t].c[t]++;
        break;
    case 2:
        tell(t, SN_EV_SEM_WAIT, object_at(o), 0, 0);
        raise_to(&model.thread[t], c);
        break;
    default:
        tell(t, SN_EV_COND_WAKE, object_at(o), 0, 0);
        raise_to(&model.thread[t], c);
        break;
    }
}

/* Thread u ends and is joined by t. */
static void step_join(int t)
{
    int u = 1 + (int)pick(THREADS - 1);
    if (u == t || ended[u] || exclusive[u] || shared[u])
        return;
    ended[u] = 1;
    tell(t, SN_EV_JOIN, 0, 0, threads[u]->number);
    raise_to(&model.thread[t], &model.thread[u]);
}

static void step_access(int t)
{
    static const int sizes[] = {1, 2, 4, 8, 8, 4, 3, 16};
    int size = sizes[pick(8)], at = (int)pick(BYTES - 16), site = (int)pick(SITES);
    int write = site & 1, atomic = site % 6 == 4 || site % 6 == 5; /* a site does one thing */
    if (size == 1 || size == 2 || size == 4 || size == 8 || atomic)
        at &= ~((size == 3 || size == 16 ? size = 8 : size) - 1);
    uintptr_t p = (uintptr_t)memory + (uintptr_t)at, pc = 0x2000 + (uintptr_t)site * 16;
    threads[t]->sp = threads[t]->frames; /* the calling context differs, the site is the same */
    if (pick(2))
        sn_call_push(threads[t], 0x1500, 0, 0);
    if (atomic) {
        struct sn_atomic_scope s;
        sn_atomic_enter(&s, p, (unsigned)size, write ? SN_EV_ATOMIC_RMW : SN_EV_ATOMIC_LOAD,
                        SN_SEQ_CST, pc);
        sn_atomic_leave(&s, 1, SN_SEQ_CST);
    } else if (size == 3) {
        write ? sn_access_write_range(p, 3, pc) : sn_access_read_range(p, 3, pc);
    } else {
        write ? sn_access_write(p, (unsigned)size, pc) : sn_access_read(p, (unsigned)size, pc);
    }
    struct access me = {t, site, write, atomic, model.thread[t].c[t], exclusive[t], shared[t]};
    model_access(me, at, size);
}

/* A granule is given back and taken again: nothing of before counts. */
static void step_reuse(int t)
{
    int g = (int)pick(BYTES / 8);
    tell(t, SN_EV_MAP, (uintptr_t)memory + 8 * (uintptr_t)g, 8, 0);
    for (int b = 8 * g; b < 8 * g + 8; b++)
        model.n[b] = 0;
}

static void begin_program(void)
{
    memset(told, 0, sizeof told);
    memset(model_told, 0, sizeof model_told);
    memset(model.thread, 0, sizeof model.thread);
    memset(model.object, 0, sizeof model.object);
    memset(model.n, 0, sizeof model.n);
    sn_sync_drop_range((uintptr_t)objects, 4096);
    sn_shadow_clear((uintptr_t)memory, BYTES);
    for (int i = 0; i < THREADS; i++) {
        sn_self = i ? threads[0] : 0;
        threads[i] = sn_thread_new(i ? threads[0] : 0, 0);
        threads[i]->state = SN_T_RUNNING;
        sn_engine_event(threads[i], &(struct sn_event){.op = SN_EV_START});
        exclusive[i] = shared[i] = 0;
        ended[i] = 0;
        model.thread[i] = model.thread[0];
        model.thread[i].c[i]++;
        model.thread[0].c[0] += i != 0;
    }
}

static void end_program(void)
{
    for (int i = THREADS; i-- > 0;) {
        threads[i]->let_go = 1;
        sn_thread_release(threads[i]);
    }
    sn_self = 0;
}

static int one_program(unsigned seed, int filter)
{
    random_state = seed;
    sn_opt.filter = filter;
    begin_program();
    for (int step = 0; step < STEPS; step++) {
        int t = (int)pick(THREADS);
        unsigned what = pick(100);
        if (ended[t])
            continue;
        become(t);
        if (what < 25)
            step_lock(t);
        else if (what < 35)
            step_message(t);
        else if (what < 36)
            step_join(t);
        else if (what < 38)
            step_reuse(t);
        else
            step_access(t);
    }
    end_program();
    int same = memcmp(told, model_told, sizeof told) == 0;
    for (int i = 0; i < SITES && !same; i++)
        for (int j = i; j < SITES; j++)
            if (told[i][j] != model_told[i][j])
                fprintf(stderr, "seed %u filter %d: sites %d %d: %s\n", seed, filter, i, j,
                        told[i][j] ? "told, but no candidate" : "lost");
    return same;
}

static int set_up(void **state)
{
    (void)state;
    memory = aligned_alloc(64, 4096);
    objects = aligned_alloc(64, 4096);
    for (int b = 0; b < BYTES; b++)
        model.history[b] = malloc((STEPS + 1) * sizeof **model.history);
    sn_ctx_child(0, 0x7000); /* node 1: another caller */
    sn_thread_on_new = sn_engine_thread_new;
    sn_thread_on_gone = sn_engine_thread_gone;
    sn_engine_init();
    return 0;
}

static void all_programs(int filter)
{
    int failed = 0;
    for (unsigned seed = 1; seed <= PROGRAMS && failed < 3; seed++)
        failed += !one_program(seed, filter);
    assert_int_equal(failed, 0);
}

static void without_filter(void **state)
{
    (void)state;
    all_programs(SN_FILTER_NONE);
}

static void with_span(void **state)
{
    (void)state;
    all_programs(SN_FILTER_SPAN);
}

static void with_tree(void **state)
{
    (void)state;
    all_programs(SN_FILTER_TREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_filter),
        cmocka_unit_test(with_span),
        cmocka_unit_test(with_tree),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
