/*
 * learn.c: `snag learn`: runs the program, looks at which access to shared memory came after which,
 * and keeps what correct runs showed.
 */
#include "cmd/command.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/invariant_words.h"
#include "cmd/launch.h"
#include "cmd/oracle.h"
#include "cmd/order_file.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "store/xalloc.h"

static const char *oracle;
static bool show, perturb;
static int64_t until;

const struct sn_option sn_options_learn[] = {
    SN_OPTION_TEXT("oracle", &oracle, "COMMAND", "says whether a run was correct (exit status 0)"),
    SN_OPTION_NUMBER("until", &until, 0, 1 << 30, "N",
                     "stop after N runs that brought nothing new"),
    SN_OPTION_FLAG("perturb", &perturb, "small random delays, so that more orders are seen"),
    SN_OPTION_FLAG("show", &show, "run nothing: print what was learned"),
    SN_OPTION_ORDER,
    SN_OPTION_END,
};

/* What guarding costs depends on how fast the program is. Training slows it down, and unevenly: a
 * server whose threads wait for each other spends more time in the kernel. So of a training that is
 * worth it, one run more, the second, only counts accesses. */
enum { RUNS_FOR_SPEED = 10, MODE_LEARN = 0, MODE_SPEED = 3 };

struct learning {
    struct sn_inv v;
    struct sn_session *session;
    int64_t runs; /* correct ones of this call */
    bool ran;     /* there was a run, correct or not */
    bool timed;   /* there was a run for speed, or there is to be none */
};

static int keep(struct learning *l, const struct sn_judged_run *run, uint32_t news)
{
    struct sn_inv *v = &l->v;
    v->news = sn_xgrow(v->news, v->nruns, &v->run_cap, sizeof *v->news);
    v->news[v->nruns++] = news;
    l->runs++;
    if (run->store && sn_inv_write_store(v, run->store) < 0)
        return sn_fail("what was learned cannot be stored: %s", sn_store_error(run->store));
    return until && (int64_t)sn_inv_quiet_runs(v) >= until && l->runs >= until ? 1 : 0;
}

static int judge(const struct sn_judged_run *run, void *arg)
{
    struct learning *l = arg;
    struct sn_inv_run got = {0};
    bool correct, for_speed = l->session->rt.guard_mode == MODE_SPEED;
    l->ran = true;
    l->session->rt.seed++; /* perturbed differently each time */
    l->session->rt.guard_mode = l->timed ? MODE_LEARN : MODE_SPEED;
    l->timed = true;
    int r = sn_oracle(oracle, run->end->status, run->output, &correct);
    if (r)
        return r;
    if (for_speed && (!correct || run->end->timed_out))
        return 0;
    if (!correct || run->end->timed_out) {
        l->v.failed++;
        return 0;
    }
    if (sn_inv_take_in(&l->v, run->run_dir, true, &got) < 0)
        return sn_fail("the run files cannot be read");
    if (for_speed)
        l->v.speed_runs++;
    r = for_speed ? 0 : keep(l, run, got.news);
    sn_inv_run_clear(&got);
    return r;
}

static size_t count_orders(const struct sn_inv *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->npairs; i++)
        n += v->pair[i].what == SN_GUARD_REMOTE && v->pair[i].pred;
    return n;
}

static void say_result(struct sn_inv *v, const char *path)
{
    size_t shared = 0;
    sn_inv_locate(v, path);
    sn_inv_select(v, &(struct sn_inv_choice){0});
    for (size_t i = 1; i < v->n; i++)
        shared += v->place[i].needed;
    sn_say("%s: %zu places access shared memory, %zu orders between threads; learned from %zu "
           "correct runs, %u were not correct; nothing new for %zu runs",
           v->program, shared, count_orders(v), v->nruns, v->failed, sn_inv_quiet_runs(v));
    if (v->nruns)
        sn_words_chart(v);
}

static int print_learned(struct sn_inv *v, const char *path)
{
    say_result(v, path);
    sn_words_sets(v);
    sn_words_gone(v, true);
    return v->npairs
               ? 0
               : sn_fail("nothing was learned about %s yet: snag learn --runs 20 %s", path, path);
}

/* Runs that were not correct are a part of training. */
static int status_of(int exit, void *arg)
{
    const struct learning *l = arg;
    return l->runs ? 0 : exit;
}

static int run(struct learning *l, char **argv, const char *path)
{
    struct sn_session s = {
        .engine = "guard",
        .command = "learn",
        .rt = sn_session_rt(),
        .needs_instrumentation = true,
        .argv = argv,
        .judge = judge,
        .status = status_of,
        .arg = l,
        .keeps_output = oracle != NULL,
    };
    s.rt.perturb = perturb;
    s.rt.lock_order = 0;
    l->session = &s;
    l->timed = sn_common.runs < RUNS_FOR_SPEED;
    sn_common.runs += !l->timed;
    int status = sn_session(&s);
    if (l->ran && status != SN_EXIT_FAILED && !sn_common.quiet)
        say_result(&l->v, path);
    return status;
}

int sn_cmd_learn(int argc, char **argv)
{
    char path[4096];
    struct learning l = {0};
    int first, status = sn_options_read(argc, argv, sn_options_learn, &first);
    if (status)
        return status;
    if (first == argc)
        return sn_fail("no program given: snag learn [options] PROGRAM [ARGS…]");
    status = sn_words_load(&l.v, argv[first], path);
    if (!status)
        status = show ? print_learned(&l.v, path) : run(&l, argv + first, path);
    sn_inv_clear(&l.v);
    return status;
}

void sn_help_learn(void)
{
    sn_help_page(
        "snag learn [options] [--] PROGRAM [ARGS…]",
        "Runs PROGRAM (built with snag cc) and learns which access to shared memory may come\n"
        "right after which access of another thread. Only correct runs count: by exit status 0,\n"
        "or by --oracle, a shell command that gets the program's output as its input and its\n"
        "status in SNAG_STATUS. What was learned adds up in the store, by names that survive a\n"
        "rebuild. snag guard uses it, snag expose tries to break it. Status 0 when a run\n"
        "was correct, else the program's.",
        sn_options_learn, true, "snag learn --runs 200 --until 50 --perturb ./prog");
}
