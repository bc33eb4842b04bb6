/*
 * oracle_test.c: the predictors against brute force.
 *
 * Random small executions (two to four threads, up to fourteen events, locks, forks, joins, values)
 * are explored completely: every state that some reordering reaches. What can be next at the same
 * time in some state is the truth. mc must say exactly that; rdit must say the same when nothing is
 * missing, and never more when events are hidden in BarrierPairs.
 *
 *     oracle_test [TRACES [SEED]]    default 20000 traces; more for a long run
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "predict/analyse.h"
#include "trace/stream.h"

#define MAX_LENGTH 14
#define MAX_EVENTS (MAX_LENGTH + LOCKS * MAX_THREADS) /* locks may have to be given back */
#define MAX_THREADS 4
#define VARS 3
#define LOCKS 2
#define WINDOW 50 /* more than any trace has lines */

static unsigned traces = 20000;
static uint64_t first_seed = 1;
static uint64_t seed;

static unsigned roll(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t x = seed ^ seed >> 33;
    x *= 0xff51afd7ed558ccdull;
    return (unsigned)((x ^ x >> 29) % n);
}

struct event {
    enum sn_event_op op;
    uint8_t thread;
    uint8_t object; /* variable, lock, or thread */
    uint8_t value, old;
    bool hidden;
};

struct trace {
    struct event e[MAX_EVENTS];
    unsigned n, threads;
    bool past; /* an earlier window says that all variables were 0 */
    /* hidden calls: between two positions of a thread */
    struct call {
        uint8_t thread, first, last; /* events, as numbers in the trace */
        bool vars[VARS], locks[LOCKS], threads[MAX_THREADS];
    } call[4];
    unsigned ncalls;
};

/* A random execution: threads take random steps that are possible. */

struct world {
    bool started[MAX_THREADS], ended[MAX_THREADS], joined[MAX_THREADS];
    uint8_t memory[VARS];
    int8_t writer[LOCKS];   /* thread; -1 */
    uint8_t readers[LOCKS]; /* bits */
    int8_t spinner;         /* who has taken variable 0 for a lock; -1 */
};

static void add(struct trace *t, enum sn_event_op op, unsigned thread, unsigned object)
{
    t->e[t->n++] = (struct event){.op = op, .thread = (uint8_t)thread, .object = (uint8_t)object};
}

static void access_step(struct trace *t, struct world *w, unsigned thread, unsigned first)
{
    static const enum sn_event_op ops[] = {SN_EV_READ,        SN_EV_WRITE,        SN_EV_READ,
                                           SN_EV_WRITE,       SN_EV_READ,         SN_EV_WRITE,
                                           SN_EV_ATOMIC_LOAD, SN_EV_ATOMIC_STORE, SN_EV_ATOMIC_RMW};
    unsigned var = first + roll(VARS - first);
    add(t, ops[roll(sizeof ops / sizeof *ops)], thread, var);
    struct event *e = &t->e[t->n - 1];
    e->old = w->memory[var];
    if (e->op != SN_EV_READ && e->op != SN_EV_ATOMIC_LOAD)
        w->memory[var] = (uint8_t)roll(3);
    e->value = w->memory[var];
}

static void lock_step(struct trace *t, struct world *w, unsigned thread, bool nested)
{
    unsigned l = roll(LOCKS);
    bool shared = roll(5) == 0;
    if (nested && roll(4) && w->writer[l] == (int)thread)
        l = 1 - l;
    if (w->writer[l] == (int)thread) {
        add(t, SN_EV_UNLOCK, thread, l);
        w->writer[l] = -1;
    } else if (w->readers[l] >> thread & 1) {
        add(t, SN_EV_RDUNLOCK, thread, l);
        w->readers[l] ^= (uint8_t)(1 << thread);
    } else if (w->writer[l] < 0 && shared) {
        add(t, SN_EV_RDLOCK, thread, l);
        w->readers[l] |= (uint8_t)(1 << thread);
    } else if (w->writer[l] < 0 && !w->readers[l]) {
        add(t, SN_EV_LOCK, thread, l);
        w->writer[l] = (int8_t)thread;
    }
}

/* Variable 0 as a lock that the program built itself. */
static void spin_step(struct trace *t, struct world *w, unsigned thread)
{
    bool mine = w->spinner == (int)thread, taken = w->spinner >= 0;
    add(t,
        mine               ? SN_EV_ATOMIC_STORE
        : taken && roll(2) ? SN_EV_ATOMIC_LOAD
                           : SN_EV_ATOMIC_RMW,
        thread, 0);
    struct event *e = &t->e[t->n - 1];
    e->old = w->memory[0];
    w->memory[0] = e->value = !mine;
    w->spinner = (int8_t)(mine ? -1 : taken ? w->spinner : (int)thread);
}

static bool holds_any(const struct world *w, unsigned thread)
{
    for (unsigned l = 0; l < LOCKS; l++)
        if (w->writer[l] == (int)thread || w->readers[l] >> thread & 1)
            return true;
    return false;
}

/* cp takes it for granted that a lock is given back some day. */
static void give_back_locks(struct trace *t)
{
    for (unsigned i = 0, n = t->n; i < n; i++) {
        const struct event e = t->e[i];
        bool taken = e.op == SN_EV_LOCK || e.op == SN_EV_RDLOCK;
        for (unsigned k = i + 1; k < n; k++)
            taken &= t->e[k].thread != e.thread || t->e[k].object != e.object ||
                     (t->e[k].op != SN_EV_UNLOCK && t->e[k].op != SN_EV_RDUNLOCK);
        if (taken)
            add(t, e.op == SN_EV_LOCK ? SN_EV_UNLOCK : SN_EV_RDUNLOCK, e.thread, e.object);
    }
}

static void thread_step(struct trace *t, struct world *w, unsigned thread)
{
    unsigned other = 1 + roll(t->threads - 1);
    if (!w->started[other]) {
        add(t, SN_EV_CREATE, thread, other);
        w->started[other] = true;
    } else if (other == thread && roll(2) && !holds_any(w, thread)) {
        add(t, SN_EV_END, thread, thread);
        w->ended[other] = true;
    } else if (w->ended[other] && !w->joined[other]) {
        add(t, SN_EV_JOIN, thread, other);
        w->joined[other] = true;
    }
}

static void make_trace(struct trace *t)
{
    struct world w = {.writer = {-1, -1}, .spinner = -1};
    bool spin = roll(5) == 0;
    unsigned accesses = roll(4) ? 5 : 2; /* some traces are mostly about locks */
    unsigned length = 6 + roll(MAX_LENGTH - 5);
    memset(t, 0, sizeof *t);
    t->threads = 2 + roll(accesses < 5 ? 2 : MAX_THREADS - 1);
    t->past = roll(4) == 0;
    w.started[0] = true;
    for (unsigned i = 1; i < t->threads; i++)
        w.started[i] = roll(3) == 0; /* some were there before the trace */
    for (unsigned tries = 0; t->n < length && tries < 200; tries++) {
        unsigned thread = roll(t->threads), kind = roll(10);
        if (!w.started[thread] || w.ended[thread])
            continue;
        if (kind < accesses)
            access_step(t, &w, thread, spin);
        else if (kind < 8)
            spin ? spin_step(t, &w, thread) : lock_step(t, &w, thread, accesses < 5);
        else
            thread_step(t, &w, thread);
    }
}

/* The truth. */

struct truth {
    bool race[MAX_EVENTS][MAX_EVENTS];
    bool deadlock[MAX_EVENTS][MAX_EVENTS];
    bool any_race, any_deadlock;
};

#define SEEN 65536

struct search {
    const struct trace *t;
    struct truth *truth;
    uint8_t list[MAX_THREADS][MAX_EVENTS], length[MAX_THREADS];
    bool waits[MAX_THREADS]; /* for its creation */
    uint64_t seen[SEEN];
    uint32_t stamp[SEEN], run;
};

struct state {
    uint8_t pos[MAX_THREADS];
    uint8_t memory[VARS];
    int8_t writer[LOCKS];
    uint8_t readers[LOCKS];
    uint8_t started;
};

static bool visited(struct search *s, const struct state *x)
{
    uint64_t key = 1;
    for (unsigned i = 0; i < MAX_THREADS; i++)
        key = key << 5 | x->pos[i];
    for (unsigned i = 0; i < VARS; i++)
        key = key << 3 | x->memory[i];
    unsigned i = (unsigned)(key * 0x9e3779b97f4a7c15ull >> 48) % SEEN;
    for (; s->stamp[i] == s->run; i = (i + 1) % SEEN)
        if (s->seen[i] == key)
            return true;
    s->stamp[i] = s->run;
    s->seen[i] = key;
    return false;
}

static const struct event *next_event(const struct search *s, const struct state *x, unsigned t,
                                      unsigned *number)
{
    if (!(x->started >> t & 1) || x->pos[t] == s->length[t])
        return NULL;
    *number = s->list[t][x->pos[t]];
    return &s->t->e[*number];
}

static bool is_write(const struct event *e)
{
    return e->op == SN_EV_WRITE || e->op == SN_EV_ATOMIC_STORE || e->op == SN_EV_ATOMIC_RMW;
}

static bool is_atomic(const struct event *e)
{
    return sn_trace_is_access(e->op) && e->op != SN_EV_READ && e->op != SN_EV_WRITE;
}

static bool can_take(const struct state *x, const struct event *e)
{
    return x->writer[e->object] < 0 && (e->op == SN_EV_RDLOCK || !x->readers[e->object]);
}

/* Performs the event; false when it cannot happen, or not with the value it had. */
static bool perform(const struct search *s, struct state *x, const struct event *e)
{
    switch (e->op) {
    case SN_EV_READ:
    case SN_EV_ATOMIC_LOAD:
        return x->memory[e->object] == e->value;
    case SN_EV_ATOMIC_RMW:
        if (x->memory[e->object] != e->old)
            return false;
        /* fall through */
    case SN_EV_WRITE:
    case SN_EV_ATOMIC_STORE:
        x->memory[e->object] = e->value;
        return true;
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
        if (!can_take(x, e))
            return false;
        if (e->op == SN_EV_LOCK)
            x->writer[e->object] = (int8_t)e->thread;
        else
            x->readers[e->object] |= (uint8_t)(1 << e->thread);
        return true;
    case SN_EV_UNLOCK:
        x->writer[e->object] = -1;
        return true;
    case SN_EV_RDUNLOCK:
        x->readers[e->object] &= (uint8_t) ~(1 << e->thread);
        return true;
    case SN_EV_CREATE:
        x->started |= (uint8_t)(1 << e->object);
        return true;
    case SN_EV_JOIN:
        return x->pos[e->object] == s->length[e->object];
    default:
        return true;
    }
}

/* Does `e` wait for a lock that thread t holds? */
static bool waits_for(const struct state *x, const struct event *e, unsigned t)
{
    if (e->op == SN_EV_LOCK)
        return x->writer[e->object] == (int)t || x->readers[e->object] >> t & 1;
    return e->op == SN_EV_RDLOCK && x->writer[e->object] == (int)t;
}

static void judge(struct search *s, const struct state *x)
{
    unsigned i = 0, k = 0;
    for (unsigned a = 0; a < s->t->threads; a++) {
        for (unsigned b = a + 1; b < s->t->threads; b++) {
            const struct event *p = next_event(s, x, a, &i), *q = next_event(s, x, b, &k);
            if (!p || !q)
                continue;
            if (sn_trace_is_access(p->op) && sn_trace_is_access(q->op) && p->object == q->object &&
                (is_write(p) || is_write(q)) && !(is_atomic(p) && is_atomic(q)))
                s->truth->race[i][k] = s->truth->race[k][i] = s->truth->any_race = true;
            if (waits_for(x, p, b) && waits_for(x, q, a))
                s->truth->deadlock[i][k] = s->truth->deadlock[k][i] = s->truth->any_deadlock = true;
        }
    }
}

/* Threads that all wait for each other's locks, of any number: for cp's guarantee. */
static void judge_stuck(struct search *s, const struct state *x)
{
    bool stuck[MAX_THREADS] = {0}, changed = true;
    unsigned k;
    for (unsigned t = 0; t < s->t->threads; t++) {
        const struct event *e = next_event(s, x, t, &k);
        stuck[t] = e && (e->op == SN_EV_LOCK || e->op == SN_EV_RDLOCK) && !can_take(x, e);
    }
    while (changed) {
        changed = false;
        for (unsigned t = 0; t < s->t->threads; t++) {
            const struct event *e = stuck[t] ? next_event(s, x, t, &k) : NULL;
            bool good = false;
            for (unsigned o = 0; e && o < s->t->threads; o++)
                good |= o != t && stuck[o] && waits_for(x, e, o);
            if (e && !good)
                stuck[t] = false, changed = true;
        }
    }
    for (unsigned t = 0; t < s->t->threads; t++)
        s->truth->any_deadlock |= stuck[t];
}

static void explore(struct search *s, const struct state *x)
{
    unsigned number;
    if (visited(s, x))
        return;
    judge(s, x);
    judge_stuck(s, x);
    for (unsigned t = 0; t < s->t->threads; t++) {
        const struct event *e = next_event(s, x, t, &number);
        struct state y = *x;
        if (!e || !perform(s, &y, e))
            continue;
        y.pos[t]++;
        explore(s, &y);
    }
}

#define NOT_KNOWN 7

/* What the trace tells of a variable's value before it: nothing when it is written first. */
static uint8_t first_value(const struct trace *t, unsigned var)
{
    for (unsigned i = 0; i < t->n && !t->past; i++)
        if (sn_trace_is_access(t->e[i].op) && t->e[i].object == var)
            return t->e[i].op == SN_EV_WRITE || t->e[i].op == SN_EV_ATOMIC_STORE ? NOT_KNOWN : 0;
    return 0;
}

static void find_truth(const struct trace *t, struct truth *truth)
{
    static struct search s;
    struct state x = {.writer = {-1, -1}, .started = 0xff};
    memset(truth, 0, sizeof *truth);
    memset(s.length, 0, sizeof s.length);
    s.t = t;
    s.truth = truth;
    s.run++;
    for (unsigned v = 0; v < VARS; v++)
        x.memory[v] = first_value(t, v);
    for (unsigned i = 0; i < t->n; i++) {
        s.list[t->e[i].thread][s.length[t->e[i].thread]++] = (uint8_t)i;
        if (t->e[i].op == SN_EV_CREATE)
            x.started &= (uint8_t) ~(1 << t->e[i].object);
    }
    explore(&s, &x);
}

/* The trace as text, the way everyone else would hand it in. */

static void print_object(FILE *out, const struct event *e)
{
    if (sn_trace_is_access(e->op))
        fprintf(out, " v%d 1", e->object);
    else if (e->op == SN_EV_CREATE || e->op == SN_EV_JOIN)
        fprintf(out, " T%d", e->object);
    else if (e->op != SN_EV_END)
        fprintf(out, " m%d", e->object);
}

static void print_call(FILE *out, const struct call *c)
{
    fprintf(out, "T%d leave-code f D=nothing", c->thread);
    for (unsigned i = 0; i < VARS; i++)
        if (c->vars[i])
            fprintf(out, ",v%u", i);
    for (unsigned i = 0; i < LOCKS; i++)
        if (c->locks[i])
            fprintf(out, ",m%u", i);
    for (unsigned i = 0; i < MAX_THREADS; i++)
        if (c->threads[i])
            fprintf(out, ",T%u", i);
    fputc('\n', out);
}

static char *print_trace(const struct trace *t)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    for (unsigned i = 0; i < VARS; i++)
        fprintf(out, "name v%u 0x%x 1\n", i, 0x1000 + i);
    for (unsigned i = 0; t->past && i < WINDOW; i++)
        fprintf(out, i < VARS ? "T0 write v%u 1 =0\n" : "T0 yield\n", i);
    bool started[MAX_THREADS] = {true};
    for (unsigned i = 0; i < t->n; i++) {
        const struct event *e = &t->e[i];
        if (!started[e->thread])
            fprintf(out, "T%d start T0\n", e->thread);
        started[e->thread] = true;
        for (unsigned c = 0; c < t->ncalls; c++)
            if (t->call[c].first == i)
                print_call(out, &t->call[c]);
        if (!e->hidden) {
            fprintf(out, "T%d %s", e->thread, sn_event_name(e->op));
            print_object(out, e);
            if (is_atomic(e))
                fprintf(out, " seq_cst");
            if (e->op == SN_EV_ATOMIC_RMW)
                fprintf(out, " =%d->%d", e->old, e->value);
            else if (sn_trace_is_access(e->op))
                fprintf(out, " =%d", e->value);
            fprintf(out, " @t.c:%u\n", i + 1);
        }
        for (unsigned c = t->ncalls; c-- > 0;)
            if (t->call[c].last == i)
                fprintf(out, "T%d enter-code f\n", e->thread);
    }
    fclose(out);
    return text;
}

/* What a predictor says, as pairs of event numbers. */

struct said {
    bool race[MAX_EVENTS][MAX_EVENTS], deadlock[MAX_EVENTS][MAX_EVENTS];
    unsigned n;
};

static struct sn_smt *smt;

static uint32_t key_of_site(void *arg, uint32_t site)
{
    (void)arg;
    return site;
}

static unsigned event_of_site(struct sn_trace *t, uint32_t site)
{
    return (unsigned)atoi(sn_trace_site(t, site)->where + 4) - 1;
}

/* The trace itself is one of its reorderings, whatever is missing in it. */
static void check_itself(struct sn_arena *a, const struct sn_window *w, enum sn_algorithm algorithm,
                         const char *text)
{
    struct sn_model m;
    struct sn_causal c;
    struct sn_meeting none = {.n = 0};
    struct sn_reordering all = {SN_NEW(a, uint32_t, w->n), w->n};
    for (uint32_t i = 0; i < w->n; i++)
        all.event[i] = i;
    sn_model_build(&m, a, w, true, algorithm == SN_RDIT);
    (algorithm == SN_RDIT ? sn_rdit_build : sn_mc_build)(&m, &c);
    const char *why = sn_witness_check(&c, &all, &none);
    if (why)
        fail_msg("the trace itself is refused: %s\n%s", why, text);
}

/* The last window is the trace; one before it has no races. */
static void ask(const char *text, enum sn_algorithm algorithm, bool only_solver, struct said *said)
{
    char *why = NULL;
    struct sn_trace *t;
    struct sn_arena arena = {0};
    struct sn_window w, next;
    struct sn_predictions found = {0};
    struct sn_analyse_stats stats = {0};
    struct sn_analyse_options o = {.algorithm = algorithm,
                                   .only_solver = only_solver,
                                   .site_key = key_of_site,
                                   .deadlocks = true};
    memset(said, 0, sizeof *said);
    assert_int_equal(sn_trace_open_stream(fmemopen((char *)text, strlen(text), "r"), "t", &t, &why),
                     0);
    struct sn_stream *s = sn_stream_new(t, WINDOW);
    while (sn_stream_next(s, &arena, &next) > 0) {
        w = next;
        if (algorithm == SN_MC || algorithm == SN_RDIT)
            check_itself(&arena, &w, algorithm, text);
        sn_analyse(&arena, &w, &o, smt, &found, &stats);
    }
    if (sn_trace_why(t))
        fail_msg("%s\n%s", sn_trace_why(t), text);
    assert_int_equal(stats.unknown, 0);
    for (uint32_t i = 0; i < found.n; i++) {
        unsigned a = event_of_site(t, w.ev[found.p[i].meet.event[0]].site);
        unsigned b = event_of_site(t, w.ev[found.p[i].meet.event[1]].site);
        if (!found.p[i].deadlock)
            said->race[a][b] = said->race[b][a] = true;
        else if (found.p[i].meet.n == 2)
            said->deadlock[a][b] = said->deadlock[b][a] = true;
        said->n += !found.p[i].deadlock;
    }
    sn_stream_free(s);
    sn_trace_close(t);
    sn_arena_free(&arena);
}

static void differ(const char *text, const char *what, unsigned a, unsigned b, unsigned number)
{
    fail_msg("trace %u: %s: events %u and %u\n%s", number, what, a + 1, b + 1, text);
}

static void subset(const char *text, const char *what, const bool (*x)[MAX_EVENTS],
                   const bool (*y)[MAX_EVENTS], unsigned number)
{
    for (unsigned a = 0; a < MAX_EVENTS; a++)
        for (unsigned b = 0; b < a; b++)
            if (x[a][b] && !y[a][b])
                differ(text, what, a, b, number);
}

static void each_trace(unsigned n, void (*check)(struct trace *t, unsigned number))
{
    for (unsigned i = 0; i < n; i++) {
        struct trace t;
        seed = first_seed * 1000003 + i;
        make_trace(&t);
        check(&t, i);
    }
}

static unsigned long races, deadlocks, hidden_races, hidden_full;

static void check_exact(struct trace *t, unsigned number)
{
    static struct truth truth;
    struct said mc, rdit;
    char *text = print_trace(t);
    find_truth(t, &truth);
    ask(text, SN_MC, false, &mc);
    subset(text, "mc says what cannot be", mc.race, truth.race, number);
    subset(text, "mc misses", truth.race, mc.race, number);
    subset(text, "mc says a deadlock that cannot be", mc.deadlock, truth.deadlock, number);
    subset(text, "mc misses a deadlock", truth.deadlock, mc.deadlock, number);
    ask(text, SN_RDIT, false, &rdit);
    subset(text, "rdit says more than mc", rdit.race, mc.race, number);
    subset(text, "rdit says less than mc", mc.race, rdit.race, number);
    subset(text, "rdit says less deadlocks than mc", mc.deadlock, rdit.deadlock, number);
    deadlocks += truth.any_deadlock;
    races += mc.n;
    free(text);
}

static void mc_is_exact(void **state)
{
    (void)state;
    each_trace(traces, check_exact);
    print_message("%u traces, %lu races, %lu with deadlocks\n", traces, races, deadlocks);
    assert_true(races > traces / 10 && deadlocks > traces / 500);
}

static void check_solver(struct trace *t, unsigned number)
{
    static struct truth truth;
    struct said mc;
    char *text = print_trace(t);
    find_truth(t, &truth);
    ask(text, SN_MC, true, &mc);
    subset(text, "the solver says what cannot be", mc.race, truth.race, number);
    subset(text, "the solver misses", truth.race, mc.race, number);
    subset(text, "the solver says a deadlock that cannot be", mc.deadlock, truth.deadlock, number);
    subset(text, "the solver misses a deadlock", truth.deadlock, mc.deadlock, number);
    free(text);
}

static void solver_alone_is_exact(void **state)
{
    (void)state;
    each_trace(traces / 10, check_solver);
}

/* The theorem about cp is about locks that are given back in the reverse order of taking them. */
static bool well_nested(const struct trace *t)
{
    for (unsigned u = 0; u < t->n; u++) {
        const struct event *e = &t->e[u];
        bool gone[LOCKS] = {0};
        if (e->op != SN_EV_UNLOCK && e->op != SN_EV_RDUNLOCK)
            continue;
        for (unsigned i = u; i-- > 0;) {
            const struct event *x = &t->e[i];
            if (x->thread != e->thread || x->op < SN_EV_LOCK || x->op > SN_EV_RDUNLOCK)
                continue;
            bool takes = x->op == SN_EV_LOCK || x->op == SN_EV_RDLOCK;
            if (takes && !gone[x->object] && x->object != e->object)
                return false;
            if (takes && !gone[x->object])
                break;
            gone[x->object] = !takes;
        }
    }
    return true;
}

/* The earliest event that ends a race: before it nothing is in doubt. */
static void check_clocks(struct trace *t, unsigned number)
{
    static struct truth truth;
    struct said hb, cp;
    give_back_locks(t);
    char *text = print_trace(t);
    find_truth(t, &truth);
    ask(text, SN_HB, false, &hb);
    ask(text, SN_CP, false, &cp);
    subset(text, "cp misses a race of hb", hb.race, cp.race, number);
    bool first = true;
    for (unsigned b = 0; b < t->n && first; b++)
        for (unsigned a = 0; a < b; a++) {
            if (!hb.race[a][b])
                continue;
            first = false;
            if (!truth.race[a][b])
                differ(text, "hb's first race cannot be", a, b, number);
        }
    if (cp.n && well_nested(t) && !truth.any_race && !truth.any_deadlock)
        fail_msg("trace %u: cp says a race where there is neither race nor deadlock\n%s", number,
                 text);
    free(text);
}

static void hb_and_cp_are_sound(void **state)
{
    (void)state;
    each_trace(traces, check_clocks);
}

/* Hides events in calls: one or two stretches of a thread, each event of them with some chance. */

static void reach(struct call *c, const struct event *e)
{
    if (sn_trace_is_access(e->op))
        c->vars[e->object] = true;
    else if (e->op == SN_EV_CREATE || e->op == SN_EV_JOIN)
        c->threads[e->object] = true;
    else
        c->locks[e->object] = true;
}

static void hide(struct trace *t)
{
    unsigned want = 1 + roll(3);
    for (unsigned tries = 0; t->ncalls < want && tries < 20; tries++) {
        unsigned first = roll(t->n), last = first + roll(t->n - first);
        struct call c = {
            .thread = t->e[first].thread, .first = (uint8_t)first, .last = (uint8_t)last};
        bool fits = t->e[last].thread == c.thread;
        for (unsigned i = 0; i < t->ncalls; i++) /* apart, or one in the other */
            fits &= t->call[i].thread != c.thread || t->call[i].last < first ||
                    t->call[i].first > last ||
                    (t->call[i].first <= first && last <= t->call[i].last);
        for (unsigned i = first; i <= last && fits; i++) {
            struct event *e = &t->e[i];
            if (e->thread != c.thread || e->op == SN_EV_END || roll(4) == 0)
                continue;
            e->hidden = true;
            reach(&c, e);
            for (unsigned k = 0; k < t->ncalls; k++) /* what contains it reaches it too */
                if (t->call[k].thread == c.thread && t->call[k].first <= i && i <= t->call[k].last)
                    reach(&t->call[k], e);
        }
        if (fits && roll(4) == 0)
            c.vars[roll(VARS)] = true;
        if (fits)
            t->call[t->ncalls++] = c;
    }
}

static void check_hidden(struct trace *t, unsigned number)
{
    static struct truth truth;
    struct said rdit, mc;
    find_truth(t, &truth);
    hide(t);
    char *text = print_trace(t);
    ask(text, SN_RDIT, number % 4 == 0, &rdit);
    ask(text, SN_MC, false, &mc); /* may be wrong here, but must not stumble */
    subset(text, "rdit says what the full trace does not have", rdit.race, truth.race, number);
    subset(text, "rdit says a deadlock that the full trace does not have", rdit.deadlock,
           truth.deadlock, number);
    hidden_races += rdit.n;
    for (unsigned a = 0; a < t->n; a++)
        for (unsigned b = 0; b < a; b++)
            hidden_full += truth.race[a][b] && !t->e[a].hidden && !t->e[b].hidden;
    free(text);
}

static void rdit_never_says_more(void **state)
{
    (void)state;
    each_trace(traces, check_hidden);
    print_message("rdit: %lu of %lu races between events that are not hidden\n", hidden_races,
                  hidden_full);
    assert_true(hidden_races * 2 > hidden_full);
}

/* Traces that no execution could have made: unlocks of what nobody holds, joins of nobody, values
 * from nowhere, accesses across each other. Nothing is claimed about the answers, but the trace is
 * one of its own reorderings, and whatever is found has a witness (sn_analyse() insists). */

static void nonsense_event(FILE *out)
{
    unsigned op = 1 + roll(SN_EV_COUNT - 1), thread = roll(4);
    enum sn_event_op o = roll(2) ? (enum sn_event_op)op : roll(2) ? SN_EV_READ : SN_EV_WRITE;
    bool rmw = o == SN_EV_ATOMIC_RMW;
    fprintf(out, "T%u %s", thread, sn_event_name(o));
    if (o == SN_EV_CREATE || o == SN_EV_JOIN || o == SN_EV_DETACH || o == SN_EV_START ||
        o == SN_EV_CANCEL)
        fprintf(out, " T%u", roll(5));
    else if (o != SN_EV_END && o != SN_EV_FENCE && o < SN_EV_BLOCK)
        fprintf(out, " 0x%x %u", 0x1000 + roll(20), 1 + roll(9));
    if (sn_trace_is_access(o) && roll(4))
        fprintf(out, rmw ? " =%u->%u" : " =%u", roll(3), roll(3));
    if (o == SN_EV_LEAVE_CODE)
        fprintf(out, " D=0x%x:%u,T%u", 0x1000 + roll(20), roll(12), roll(4));
    if ((o == SN_EV_UNLOCK || o == SN_EV_LOCK) && roll(3) == 0)
        fprintf(out, " cond=0x1008");
    fprintf(out, " @t.c:%u\n", 1 + roll(MAX_EVENTS));
}

static void nonsense_is_survived(void **state)
{
    (void)state;
    for (unsigned i = 0; i < traces / 10; i++) {
        static const enum sn_algorithm all[] = {SN_HB, SN_CP, SN_MC, SN_RDIT};
        struct said said;
        char *text;
        size_t n;
        FILE *out = open_memstream(&text, &n);
        seed = first_seed * 7919 + i;
        for (unsigned k = 0, length = 5 + roll(WINDOW - 5); k < length; k++)
            nonsense_event(out);
        fclose(out);
        for (unsigned k = 0; k < 4; k++)
            ask(text, all[k], false, &said);
        free(text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mc_is_exact),          cmocka_unit_test(solver_alone_is_exact),
        cmocka_unit_test(hb_and_cp_are_sound),  cmocka_unit_test(rdit_never_says_more),
        cmocka_unit_test(nonsense_is_survived),
    };
    if (argc > 1)
        traces = (unsigned)atoi(argv[1]);
    if (argc > 2)
        first_seed = (uint64_t)atoll(argv[2]);
    if (!sn_smt_available()) {
        print_message("built without Z3: nothing to compare\n");
        return 0;
    }
    smt = sn_smt_new();
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    sn_smt_free(smt);
    return r;
}
