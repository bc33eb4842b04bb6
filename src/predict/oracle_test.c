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
#include "predict/oracle_trace.h"
#include "predict/oracle_truth.h"
#include "trace/stream.h"

static unsigned traces = 20000;
static uint64_t first_seed = 1;

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
