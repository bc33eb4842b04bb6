/*
 * replay.c: `snag replay ID`: makes a finding happen again by its stored schedule. Status 0 when it
 * happened every time, 1 when not.
 */
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/launch.h"
#include "cmd/options.h"
#include "cmd/run_dir.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "fuzz/goal.h"
#include "report/report.h"
#include "store/store.h"
#include "store/xalloc.h"

static int64_t times = 1;
static bool gdb, timeline;

const struct sn_option sn_options_replay[] = {
    SN_OPTION_NUMBER("times", &times, 1, 1000000, "N", "how often (1)"),
    SN_OPTION_FLAG("gdb", &gdb, "under the debugger, stopped where it happens"),
    SN_OPTION_FLAG("timeline", &timeline, "print the interleaving"),
    SN_OPTION_END,
};

static int parse_id(const struct sn_words *rest, int64_t *id)
{
    char *end = NULL;
    errno = 0;
    if (rest->n == 1)
        *id = strtoll(rest->v[0], &end, 10);
    if (!end || *end || end == rest->v[0] || errno || *id < 1)
        return sn_fail("snag replay takes the number of one finding; snag list shows them");
    return 0;
}

static int load(int64_t id, struct sn_finding *f, struct sn_saved *saved)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    void *data = NULL;
    size_t bytes = 0;
    int status = 0;
    if (!sn_common.store)
        return sn_fail("--no-store leaves nothing to replay: leave it out, or name a store with --store DIR");
    if (sn_store_open(sn_common.store, SN_STORE_READ, &store, &why) < 0) {
        status = sn_fail("%s", why);
        free(why);
        return status;
    }
    if (sn_store_get(store, id, f) < 0)
        status = sn_fail("there is no finding %lld in %s; snag list shows what is there",
                         (long long)id, sn_common.store);
    else if (sn_store_get_blob(store, "schedule", f->key, &data, &bytes) < 0)
        status = sn_fail("finding %lld has no schedule; snag fuzz makes one when it confirms it",
                         (long long)id);
    else if (sn_saved_from_text(data, bytes, saved) < 0)
        status = sn_fail("the schedule of finding %lld is damaged or of a newer snag", (long long)id);
    free(data);
    sn_store_close(store);
    return status;
}

static void warn_rebuilt(const struct sn_saved *saved)
{
    char *build = sn_saved_build(saved->program);
    if (strcmp(build, saved->build) != 0)
        sn_say("%s was built again since the schedule was made: it may not fit any more",
               saved->program);
    free(build);
}

static void say_divergence(const struct sn_saved *saved, const struct sn_execution *e)
{
    const struct sn_log_summary *s = &e->summary;
    if (s->planned && (s->diverged || s->followed < s->planned))
        sn_say("%llu of %llu decisions of the schedule could be followed",
               (unsigned long long)s->followed, (unsigned long long)s->planned);
    else if (!e->watched)
        sn_say("no process of %s loaded snag's library", saved->program);
}

static int replay_once(struct sn_runner *r, const struct sn_saved *saved, bool *again)
{
    struct sn_execution e;
    int status = sn_execute(r, &saved->schedule, &e);
    *again = !status && sn_goal_met(&saved->goal, &e);
    if (!status && !*again)
        say_divergence(saved, &e);
    sn_execution_clear(&e);
    return status;
}

static int replay_all(struct sn_runner *r, const struct sn_saved *saved, const struct sn_finding *f)
{
    int64_t good = 0;
    int status = 0;
    for (int64_t i = 0; i < times && !status; i++) {
        bool again = false;
        r->show = i == 0 && !sn_common.quiet;
        status = replay_once(r, saved, &again);
        good += again;
    }
    if (status)
        return status;
    if (!sn_common.quiet)
        sn_say("%s: happened %lld of %lld times%s%s", f->title, (long long)good, (long long)times,
               f->effect ? "; " : "", f->effect ? f->effect : "");
    return good == times ? 0 : 1;
}

/* gdb runs the program itself, with the same environment and plan; it stops at a bad end. */
static int under_gdb(const struct sn_runner *r, const struct sn_saved *saved)
{
    char *argv0 = saved->argv[0];
    struct sn_words words = {0};
    static const char *const head[] = {"gdb", "-q", "-ex", "set startup-with-shell off", "--args"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        sn_words_add(&words, head[i]);
    sn_words_add(&words, saved->program);
    sn_words_add_all(&words, saved->argv + 1);
    saved->argv[0] = argv0;
    struct sn_options rt = *r->rt;
    rt.seed = saved->schedule.seed;
    char *plan = sn_schedule_to_text(&saved->schedule), *path = sn_xformat("%s/plan", r->dir);
    FILE *out = fopen(path, "w");
    if (out) {
        fputs(plan, out);
        fclose(out);
    }
    struct sn_launch launch = {.engine = "sched",
                               .argv = words.v,
                               .run_dir = r->dir,
                               .rt = &rt,
                               .folder = r->folder,
                               .fixed_addresses = true};
    struct sn_ended end;
    int status = sn_launch(&launch, &end);
    free(plan);
    free(path);
    sn_words_free(&words);
    return status ? status : end.status;
}

static int run(const struct sn_finding *f, struct sn_saved *saved)
{
    struct sn_options rt = sn_session_rt();
    char *why = NULL, *own = NULL;
    struct sn_runner r = {.argv = saved->argv,
                          .folder = access(saved->folder, X_OK) == 0 ? saved->folder : NULL,
                          .timeout_s = sn_common.timeout_s > 0 ? sn_common.timeout_s : saved->timeout_s,
                          .expected = saved->expected,
                          .rt = &rt};
    if (sn_run_dir_make(NULL, &own, &why) < 0) {
        int status = sn_fail("%s", why);
        free(why);
        return status;
    }
    r.dir = own;
    warn_rebuilt(saved);
    saved->argv[0] = saved->program;
    int status = gdb ? under_gdb(&r, saved) : replay_all(&r, saved, f);
    sn_runner_stop(&r);
    sn_run_dir_remove(own);
    free(own);
    return status;
}

int sn_cmd_replay(int argc, char **argv)
{
    struct sn_words rest = {0};
    struct sn_finding f = {0};
    struct sn_saved saved = {0};
    int64_t id = 0;
    int status = sn_options_read_mixed(argc, argv, sn_options_replay, &rest);
    if (!status)
        status = parse_id(&rest, &id);
    if (!status)
        status = load(id, &f, &saved);
    if (!status && timeline)
        sn_report_text_finding(stdout, &f, isatty(STDOUT_FILENO));
    if (!status)
        status = run(&f, &saved);
    sn_finding_clear(&f);
    sn_saved_clear(&saved);
    sn_words_free(&rest);
    return status;
}

void sn_help_replay(void)
{
    sn_help_page("snag replay [options] ID",
                 "Runs the program of a confirmed finding under the schedule that shows it, from\n"
                 "any folder. Status 0 when it happened again every time, 1 when not.",
                 sn_options_replay, false, "snag replay --times 100 3");
}
