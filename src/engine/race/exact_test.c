/*
 * exact_test.c: the engine against a naive happens-before detector that keeps every access of every
 * byte with a full vector clock. Random programs of a few threads, locks, atomics and memory. What
 * the engine reports is a race; and a race is reported at the very access, unless the thread has
 * done the same or more to the byte in the same epoch: then the other access came later and told
 * it.
 *
 * The engine's files are compiled in, but report.c: here sn_race_report() only notes the fact.
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
#include "alone.h"
#include "atomic_path.h"
#include "cell.h"
#include "clock.h"
#include "core/engine.h"
#include "epoch.h"
#include "kept.h"
#include "private.h"
#include "race.h"

enum {
    THREADS = 4,
    LOCKS = 2,
    ATOMICS = 2,
    BYTES = 64,
    STEPS = 240,
    HISTORY = 2048, /* accesses to a byte */
    PROGRAMS = 6000,
    RENEWED = 300
};

static int raced;

void sn_race_report(struct sn_thread *t, uintptr_t addr, uint64_t me, unsigned kind,
                    const struct sn_conflicts *with)
{
    (void)t, (void)addr, (void)me, (void)kind, (void)with;
    raced++;
}

/* The naive detector. */
struct access {
    int thread, write, atomic;
    unsigned clock;
    uint32_t epoch; /* the engine's */
};

struct clock {
    unsigned c[THREADS];
};

static struct {
    struct clock thread[THREADS], lock[LOCKS], readers[LOCKS], atomic[ATOMICS];
    struct clock fence_release[THREADS], fence_acquire[THREADS];
    int has_fence[THREADS];
    unsigned heads[ATOMICS]; /* threads that have released there since the last reset */
    struct access *history[BYTES];
    int n[BYTES];
} model;

static void join(struct clock *to, const struct clock *from)
{
    for (int i = 0; i < THREADS; i++)
        if (to->c[i] < from->c[i])
            to->c[i] = from->c[i];
}

enum verdict { NO_RACE, MAYBE, RACE };

/* Whatever conflicts with the new access conflicts with this one of the same thread and epoch. */
static int stands_for(const struct access *a, int thread, int write, int atomic, uint32_t epoch)
{
    if (a->thread != thread || a->epoch != epoch)
        return 0;
    if (!atomic)
        return !a->atomic && a->write >= write;
    return write ? a->write : 1;
}

static enum verdict model_access(int thread, int at, int size, int write, int atomic,
                                 uint32_t epoch)
{
    enum verdict v = NO_RACE;
    for (int b = at; b < at + size; b++) {
        int race = 0, again = 0;
        for (int i = 0; i < model.n[b]; i++) {
            struct access *a = &model.history[b][i];
            if ((a->write || write) && !(a->atomic && atomic) &&
                a->clock > model.thread[thread].c[a->thread])
                race = 1;
            again |= stands_for(a, thread, write, atomic, epoch);
        }
        if (race)
            v = !again ? RACE : v == RACE ? RACE : MAYBE;
        assert_true(model.n[b] < HISTORY);
        model.history[b][model.n[b]++] =
            (struct access){thread, write, atomic, model.thread[thread].c[thread], epoch};
    }
    return v;
}

static int agrees(enum verdict v)
{
    return v == MAYBE || (v == RACE) == (raced > 0);
}

static void tick(int thread)
{
    model.thread[thread].c[thread]++;
}

/* The program under test: threads are records that take turns on this one. */
static struct sn_thread *threads[THREADS];
static unsigned char *memory;
static char *objects; /* addresses of locks */
static unsigned random_state;

static unsigned pick(unsigned n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % n;
}

static unsigned write_share; /* plain accesses that write, of 16 */
static int sweeps_only;      /* all accesses are loops over everything: neighbours are alike */
static int long_epochs;      /* as if every epoch had many accesses: sets of readers are made */

static void become(int thread)
{
    sn_self = threads[thread];
    if (long_epochs)
        sn_race_of(sn_self)->in_epoch |= SN_LONGEST_EPOCH;
    sn_race_hot.epoch = sn_race_of(sn_self)->epoch;
    sn_race_hot.self = sn_self;
    sn_race_hot.sets = sn_race_of(sn_self)->sets;
}

static void tell(int thread, enum sn_event_op op, uintptr_t addr)
{
    struct sn_event ev = {.op = (uint8_t)op, .addr = addr, .pc = 0x1000};
    sn_engine_event(threads[thread], &ev);
}

static uintptr_t lock_at(int i)
{
    return (uintptr_t)objects + 64 * (uintptr_t)i;
}

/* What each thread holds: at most one lock, for writing or reading. */
static int holds[THREADS], shares[THREADS], owner[LOCKS], sharers[LOCKS];

static void step_lock(int t)
{
    if (holds[t] >= 0) {
        int l = holds[t];
        tell(t, shares[t] ? SN_EV_RDUNLOCK : SN_EV_UNLOCK, lock_at(l));
        if (shares[t]) {
            join(&model.readers[l], &model.thread[t]);
            sharers[l]--;
        } else {
            model.lock[l] = model.thread[t];
            owner[l] = -1;
        }
        tick(t);
        holds[t] = -1;
        return;
    }
    int l = sweeps_only && pick(16) ? 0 : (int)pick(LOCKS), share = (int)pick(2);
    if (owner[l] >= 0 || (!share && sharers[l]))
        return;
    struct sn_sync *s = sn_sync_get(lock_at(l), SN_SYNC_RWLOCK);
    s->kind = SN_SYNC_RWLOCK;
    tell(t, share ? SN_EV_RDLOCK : SN_EV_LOCK, lock_at(l));
    join(&model.thread[t], &model.lock[l]);
    if (!share)
        join(&model.thread[t], &model.readers[l]);
    holds[t] = l;
    shares[t] = share;
    if (share)
        sharers[l]++;
    else
        owner[l] = t;
}

static int access_at(int t, int at, int size, int write, uintptr_t pc)
{
    uintptr_t p = (uintptr_t)memory + (uintptr_t)at;
    uint32_t epoch = sn_race_hot.epoch;
    raced = 0;
    if ((size & (size - 1)) || size > 16 || (size == 16 && pick(2)))
        write ? sn_access_write_range(p, (size_t)size, pc)
              : sn_access_read_range(p, (size_t)size, pc);
    else if (size == 16)
        write ? sn_access_write(p, 16, pc) : sn_access_read(p, 16, pc);
    else
        write ? sn_access_write(p, (unsigned)size, pc) : sn_access_read(p, (unsigned)size, pc);
    return agrees(model_access(t, at, size, write, 0, epoch));
}

static int step_access(int t)
{
    static const int sizes[] = {1, 2, 4, 8, 8, 4, 3, 16, 7};
    int size = sizes[pick(9)], write = pick(16) < write_share, at = (int)pick(BYTES - 16);
    if (size == 1 || size == 2 || size == 4 || size == 8)
        at &= ~(size - 1);
    return access_at(t, at, size, write, 0x2000 + pick(4) * 16);
}

/* A loop over an array of small elements, or over members of structs. */
static int step_loop(int t)
{
    int size = 1 << pick(3), write = pick(16) < write_share, all = sweeps_only || !pick(2), ok = 1;
    int stride = pick(2) ? size : 8;
    int times = all ? BYTES : 1 + (int)pick(8);
    uintptr_t pc = 0x2000 + pick(sweeps_only ? 1 : 4) * 16;
    for (int at = all && stride == size ? 0 : (int)pick(8) & ~(size - 1);
         ok && times-- && at < BYTES - 16; at += stride)
        ok = access_at(t, at, size, write, pc);
    return ok;
}

static int is_acquire(int o)
{
    return o == SN_ACQUIRE || o == SN_ACQ_REL || o == SN_SEQ_CST;
}

static int is_release(int o)
{
    return o == SN_RELEASE || o == SN_ACQ_REL || o == SN_SEQ_CST;
}

static void model_atomic_reads(int t, int a, int order)
{
    join(is_acquire(order) ? &model.thread[t] : &model.fence_acquire[t], &model.atomic[a]);
}

static void model_atomic_writes(int t, int a, enum sn_event_op op, int order)
{
    int rmw = op == SN_EV_ATOMIC_RMW, go_on = rmw || (model.heads[a] & 1u << t);
    struct clock *released = is_release(order)    ? &model.thread[t]
                             : model.has_fence[t] ? &model.fence_release[t]
                                                  : NULL;
    if (is_release(order) && !rmw)
        go_on = 0;
    if (!go_on) {
        model.atomic[a] = (struct clock){{0}};
        model.heads[a] = 0;
    }
    if (released) {
        join(&model.atomic[a], released);
        model.heads[a] |= 1u << t;
    }
    if (is_release(order))
        tick(t);
}

/* The last bytes of memory are the atomics; plain accesses reach them too now and then. */
static int step_atomic(int t)
{
    static const int load_orders[] = {SN_RELAXED, SN_ACQUIRE, SN_SEQ_CST};
    static const int store_orders[] = {SN_RELAXED, SN_RELEASE, SN_SEQ_CST};
    static const int rmw_orders[] = {SN_RELAXED, SN_ACQUIRE, SN_RELEASE, SN_ACQ_REL, SN_SEQ_CST};
    int a = (int)pick(ATOMICS), at = BYTES - 8 * (a + 1);
    enum sn_event_op op = SN_EV_ATOMIC_LOAD + pick(3);
    int order = op == SN_EV_ATOMIC_LOAD    ? load_orders[pick(3)]
                : op == SN_EV_ATOMIC_STORE ? store_orders[pick(3)]
                                           : rmw_orders[pick(5)];
    struct sn_atomic_scope s;
    uint32_t epoch = sn_race_hot.epoch;
    raced = 0;
    sn_atomic_enter(&s, (uintptr_t)memory + (uintptr_t)at, 8, op, order, 0x3000 + pick(3) * 16);
    while (!sn_atomic_leave(&s, 1, order))
        ;
    if (op != SN_EV_ATOMIC_STORE)
        model_atomic_reads(t, a, order);
    enum verdict v = model_access(t, at, 8, op != SN_EV_ATOMIC_LOAD, 1, epoch);
    if (op != SN_EV_ATOMIC_LOAD)
        model_atomic_writes(t, a, op, order);
    return agrees(v);
}

static void step_fence(int t)
{
    int order = (int[]){SN_ACQUIRE, SN_RELEASE, SN_SEQ_CST}[pick(3)];
    sn_atomic_fence(order, 0x4000);
    if (is_acquire(order))
        join(&model.thread[t], &model.fence_acquire[t]);
    if (is_release(order)) {
        model.fence_release[t] = model.thread[t];
        model.has_fence[t] = 1;
        tick(t);
    }
}

/* All know the process's first thread, as in any program: a number of a set that passed for an
 * epoch would pass for one of its, and seem to be known. When epochs are renewed it is moved. */
static struct sn_thread *first;

static void know_first(struct sn_thread *t)
{
    if (sn_race_of(first)->slot == 0)
        sn_race_of(t)->clock[0] = UINT32_MAX;
}

/* Accesses outside of all calls take other paths than those in a function. */
static void call(struct sn_thread *t)
{
    *t->sp++ = (struct sn_call_frame){.pc = 0x5000};
}

static void begin_program(int with_calls)
{
    for (int b = 0; b < BYTES; b++)
        model.n[b] = 0;
    memset(model.thread, 0, sizeof model.thread);
    memset(model.lock, 0, sizeof model.lock);
    memset(model.readers, 0, sizeof model.readers);
    memset(model.atomic, 0, sizeof model.atomic);
    memset(model.fence_release, 0, sizeof model.fence_release);
    memset(model.fence_acquire, 0, sizeof model.fence_acquire);
    memset(model.has_fence, 0, sizeof model.has_fence);
    for (int i = 0; i < LOCKS; i++)
        owner[i] = -1, sharers[i] = 0;
    for (int i = 0; i < ATOMICS; i++)
        model.heads[i] = 0;
    sn_sync_drop_range((uintptr_t)memory, BYTES);
    sn_sync_drop_range((uintptr_t)objects, 4096);
    sn_shadow_clear((uintptr_t)memory, BYTES);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = sn_thread_new(i ? threads[0] : 0, 0);
        threads[i]->state = SN_T_RUNNING;
        know_first(threads[i]);
        if (with_calls)
            call(threads[i]);
        holds[i] = -1;
        tell(0, SN_EV_CREATE, 0);
        model.thread[i] = model.thread[0];
        model.thread[i].c[i]++;
        tick(0);
    }
}

static void end_program(void)
{
    for (int i = THREADS; i-- > 0;) {
        threads[i]->nheld = 0;
        threads[i]->let_go = 1;
        sn_thread_release(threads[i]);
    }
    sn_self = 0;
}

/* Epochs are numbered anew: what was done before is forgotten, and nothing else. */
static void renew(int t)
{
    sn_renewal_due = SN_DUE_EPOCHS;
    sn_epoch_renew(threads[t]);
    become(t);
    for (int b = 0; b < BYTES; b++)
        model.n[b] = 0;
    /* What was released before tells nothing any more, so it heads no release sequence either. */
    memset(model.heads, 0, sizeof model.heads);
    memset(model.has_fence, 0, sizeof model.has_fence);
}

/* Sets that no granule names are given back: nobody notices. */
static void collect(int t)
{
    sn_renewal_due = SN_DUE_SETS;
    sn_epoch_renew(threads[t]);
}

static unsigned steps_to_renewal; /* on average; 0: never */

/* Mostly with the lock that it takes: without, next to everything is a race. */
static int step_orderly(int t, unsigned what)
{
    int calm = (int)pick(32);
    if (what < 5 || (holds[t] < 0 && calm)) {
        step_lock(t);
        return 1;
    }
    write_share = calm && shares[t] ? 0 : 8;
    return step_loop(t);
}

static int one_program(unsigned seed, int with_atomics)
{
    random_state = seed;
    long_epochs = seed & 1;
    sn_kept_few = seed / 2 % 5 ? 0 : UINT32_MAX;
    write_share = seed / 4 % 3 == 0 ? 8 : seed / 4 % 3;
    begin_program(seed / 2 & 1);
    int ok = 1, step;
    for (step = 0; step < STEPS && ok; step++) {
        int t = (int)pick(THREADS);
        unsigned what = pick(10);
        become(t);
        if (!pick(20))
            sn_private_thread_gone(
                sn_race_of(sn_self)); /* what it keeps for itself comes to the cells */
        if (steps_to_renewal && !pick(steps_to_renewal))
            renew(t);
        if (!pick(400))
            collect(t);
        if (sweeps_only)
            ok = step_orderly(t, what);
        else if (what < 3)
            step_lock(t);
        else if (what == 3 && with_atomics)
            step_fence(t);
        else if (what < 6 && with_atomics)
            ok = step_atomic(t);
        else
            ok = what >= 8 ? step_loop(t) : step_access(t);
    }
    end_program();
    if (!ok)
        fprintf(stderr, "seed %u differs at step %d\n", seed, step);
    return ok;
}

/* Rounds between barriers over structs with members of one size: all threads read them in one half,
 * and each writes its own in the other, or a thread all of a struct. Now and then a thread does
 * something else, or does not wait at the barrier, or does not tell the others what it has done. */
enum { STRUCTS = 6, ROUNDS = 6 };

static struct {
    unsigned places;  /* of accesses */
    unsigned skipped; /* of so many reads one */
    int away;         /* a thread that mostly does not wait; -1: none */
    int one_for_all;  /* this time */
} rounds;

static void pass_lock(int t)
{
    become(t);
    tell(t, SN_EV_LOCK, lock_at(0));
    join(&model.thread[t], &model.lock[0]);
    tell(t, SN_EV_UNLOCK, lock_at(0));
    model.lock[0] = model.thread[t];
    tick(t);
}

static void wait_for_all(void)
{
    for (int half = 0; half < 2; half++)
        for (int t = 0; t < THREADS; t++)
            if (pick(half ? 12 : 24) && (t != rounds.away || !pick(8)))
                pass_lock(t);
}

static int use_struct(int t, int i, int write)
{
    int size = 4 >> i % 3, ok = 1;
    for (int at = 0; ok && at < 8; at += size) {
        int other = !pick(60);
        int mine = (i + (rounds.one_for_all ? 0 : at / size)) % THREADS == t;
        if (other || (write ? mine : pick(rounds.skipped) != 0))
            ok = access_at(t, 8 * i + at, size, write ^ other,
                           0x2000 + (unsigned)(4 * i + at) % rounds.places * 16);
    }
    return ok;
}

static int one_half(int write)
{
    int next[THREADS] = {0}, ok = 1;
    rounds.one_for_all = !pick(4);
    for (int left = THREADS * STRUCTS; ok && left;) {
        int t = (int)pick(THREADS);
        if (next[t] == STRUCTS)
            continue;
        become(t);
        if (!pick(200))
            sn_private_thread_gone(sn_race_of(sn_self));
        ok = use_struct(t, next[t]++, write);
        left--;
    }
    return ok;
}

static int one_member_program(unsigned seed)
{
    int ok = 1, half;
    random_state = seed;
    long_epochs = 1;
    sn_kept_few = seed % 5 ? 0 : UINT32_MAX;
    rounds.places = seed & 2 ? 1 : 32;
    rounds.skipped = seed & 4 ? 8 : 2;
    rounds.away = seed & 8 ? -1 : (int)pick(THREADS);
    begin_program(seed & 1);
    for (half = 0; half < 2 * ROUNDS && ok; half++) {
        ok = one_half(half & 1);
        if (!pick(8))
            collect(0);
        wait_for_all();
    }
    end_program();
    if (!ok)
        fprintf(stderr, "seed %u differs in half %d\n", seed, half);
    return ok;
}

/* Texts in buffers, each mostly one thread's: written over, looked through for their end, read byte
 * by byte while the ends of their words are written into them. Now and then somebody else comes. */
enum { TEXT = 24, TEXTS = 2, TURNS = 12 };

static int meet(int t, int at)
{
    int other = (int)pick(THREADS), size = pick(2) ? 1 : 1 + (int)pick(TEXT), ok;
    if (pick(4))
        pass_lock(t);
    if (pick(4))
        pass_lock(other);
    become(other);
    ok = access_at(other, at, size, pick(3) == 0, 0x2400 + pick(2) * 16);
    if (pick(4)) {
        pass_lock(other);
        pass_lock(t);
    }
    become(t);
    return ok;
}

static int read_text(int t, int at, int size, unsigned often)
{
    int ok = 1;
    for (int i = 0; ok && i < size; i++) {
        ok = access_at(t, at + i, 1, 0, 0x2200 + pick(8) / 7 * 16);
        if (ok && !pick(5))
            ok = access_at(t, at + i, 1, 1, 0x2220);
        if (ok && !pick(often))
            ok = meet(t, at);
        if (!pick(60))
            pass_lock(t);
    }
    return ok;
}

static int one_text_program(unsigned seed)
{
    int ok = 1, turn;
    random_state = seed;
    long_epochs = seed % 8 == 7;
    sn_kept_few = seed % 5 ? 0 : UINT32_MAX;
    begin_program(seed & 1);
    for (turn = 0; turn < TURNS && ok; turn++) {
        int text = (int)pick(TEXTS), t = pick(8) ? text : (int)pick(THREADS);
        int size = 1 + (int)pick(TEXT), at = text * TEXT;
        become(t);
        if (pick(4))
            pass_lock(t);
        ok = access_at(t, at, size, 1, 0x2100);
        if (pick(2))
            pass_lock(t);
        if (ok && pick(4))
            ok = access_at(t, at, size, 0, 0x2110);
        ok = ok && read_text(t, at, size, seed & 2 ? 10 : 60);
        if (!pick(16))
            collect(0);
    }
    end_program();
    if (!ok)
        fprintf(stderr, "seed %u differs in turn %d\n", seed, turn);
    return ok;
}

static int set_up(void **state)
{
    (void)state;
    memory = aligned_alloc(64, 4096);
    objects = aligned_alloc(64, 4096);
    for (int b = 0; b < BYTES; b++)
        model.history[b] = malloc(HISTORY * sizeof **model.history);
    sn_thread_on_new = sn_engine_thread_new;
    sn_thread_on_gone = sn_engine_thread_gone;
    sn_engine_init();
    sn_private_calm = sn_cell_turns = 2;
    sn_kept_most_slots = SN_MAX_SLOTS;
    first = sn_thread_new(0, 0);
    return 0;
}

static void locks_only(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++)
        assert_true(one_program(seed, 0));
}

static void with_atomics(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++)
        assert_true(one_program(seed + 1000000, 1));
}

static void renewed(void **state)
{
    (void)state;
    steps_to_renewal = STEPS / 3;
    for (unsigned seed = 1; seed <= RENEWED; seed++)
        assert_true(one_program(seed + 2000000, 1));
    steps_to_renewal = 0;
    assert_true(sn_clock_generation > RENEWED);
}

/* What one granule has shown is done to the next ones. */
static void sweeps(void **state)
{
    (void)state;
    sweeps_only = 1;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++)
        assert_true(one_program(2 * seed + 3000001, 0));
    sweeps_only = 0;
}

static void members(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++)
        assert_true(one_member_program(seed + 5000000));
}

static void texts(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++)
        assert_true(one_text_program(seed + 7000000));
}

/* A third word for bytes that were read in three epochs is not to be had. */
static void kept_words(void **state)
{
    (void)state;
    struct sn_kept e = {.base = 8};
    uint64_t words[2];
    assert_true(sn_kept_put(&e, sn_word(5000, 1, 1), 1));
    assert_true(sn_kept_put(&e, sn_word(6000, 1, 2), 1));
    assert_int_equal(sn_kept_words(&e, words), 2);
    assert_false(sn_kept_put(&e, sn_word(7000, 1, 4), 1));
    assert_true(sn_kept_put(&e, sn_word(6000, 1, 3), 0));
    assert_int_equal(sn_kept_words(&e, words), 1);
    assert_true(sn_kept_put(&e, sn_word(7000, 1, 4), 1));
    assert_int_equal(sn_kept_words(&e, words), 2);
    assert_true(words[0] == sn_word(7000, 1, 4) && words[1] == sn_word(6000, 1, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_only), cmocka_unit_test(with_atomics), cmocka_unit_test(sweeps),
        cmocka_unit_test(members),    cmocka_unit_test(texts),        cmocka_unit_test(kept_words),
        cmocka_unit_test(renewed),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
