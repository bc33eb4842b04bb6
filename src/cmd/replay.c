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
#include "cmd/order_file.h"
#include "cmd/replay_fixed.h"
#include "cmd/replay_gdb.h"
#include "cmd/run_dir.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "fuzz/asked.h"
#include "fuzz/goal.h"
#include "fuzz/landmark.h"
#include "report/report.h"
#include "store/store.h"
#include "store/xalloc.h"

static int64_t times = 1;
static bool gdb, timeline, fixed;

const struct sn_option sn_options_replay[] = {
    SN_OPTION_NUMBER("times", &times, 1, 1000000, "N", "how often (1)"),
    SN_OPTION_FLAG("gdb", &gdb, "under the debugger, stopped where it happens"),
    SN_OPTION_FLAG("fixed", &fixed,
                   "is it fixed? Tries --times (100) schedules around the old one"),
    SN_OPTION_FLAG("timeline", &timeline, "print the interleaving"),
    SN_OPTION_ORDER,
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
        return sn_fail(
            "--no-store leaves nothing to replay: leave it out, or name a store with --store DIR");
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
        status =
            sn_fail("the schedule of finding %lld is damaged or of a newer snag", (long long)id);
    free(data);
    sn_store_close(store);
    return status;
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
    if (!status && !*again && !e.asked_to_stop)
        say_divergence(saved, &e);
    sn_execution_clear(&e);
    return status;
}

static int replay_all(struct sn_runner *r, const struct sn_saved *saved, const struct sn_finding *f)
{
    int64_t good = 0;
    int status = 0;
    for (int64_t i = 0; i < times && !status && !sn_asked(); i++) {
        bool again = false;
        r->show = i == 0 && !sn_common.quiet;
        status = replay_once(r, saved, &again);
        good += again;
    }
    if (status || sn_asked())
        return status ? status : 128 + sn_asked();
    if (!sn_common.quiet)
        sn_say("%s: happened %lld of %lld times%s%s", f->title, (long long)good, (long long)times,
               good && f->effect ? "; " : "", good && f->effect ? f->effect : "");
    return good == times ? 0 : 1;
}

/* The program was built again: the schedule in words of the source is what is left of it. */
static int adapt(struct sn_runner *r, struct sn_saved *saved, struct sn_schedule *s)
{
    struct sn_landmarks_found found;
    if (!saved->landmarks) {
        sn_say("%s was built again since the schedule was made: it may not fit any more",
               saved->program);
        return 0;
    }
    int status = sn_landmarks_apply(saved->landmarks, r, s, &saved->goal, &found);
    if (status)
        return status;
    if (!sn_common.quiet)
        sn_say("%s was built again: %zu of %zu places of the schedule are still there%s",
               saved->program, found.there, found.places,
               found.goal_there ? "" : ", but not both racing accesses");
    return 0;
}

static bool is_rebuilt(const struct sn_saved *saved)
{
    char *build = sn_saved_build(saved->program);
    bool other = strcmp(build, saved->build) != 0;
    free(build);
    return other;
}

/* The decisions may well fit what was built again, by another compiler, say. */
static bool shows(struct sn_runner *r, const struct sn_schedule *s, const struct sn_goal *g)
{
    struct sn_execution e;
    bool met = sn_execute(r, s, &e) == 0 && sn_goal_met(g, &e);
    sn_execution_clear(&e);
    return met;
}

/* With turns instead of decisions, where that is needed: after a rebuild, and for a family. */
static int replay_adapted(struct sn_runner *r, struct sn_saved *saved, const struct sn_finding *f)
{
    enum { FAMILY = 100 };
    struct sn_schedule s = {0};
    bool rebuilt = is_rebuilt(saved);
    int status = 0;
    if (rebuilt)
        status = adapt(r, saved, &s);
    else if (fixed && saved->landmarks) {
        struct sn_landmarks_found found;
        status = sn_landmarks_apply(saved->landmarks, r, &s, &saved->goal, &found);
    }
    if (!status && fixed) {
        status = sn_replay_fixed(r, &saved->schedule, s.strategy[0] ? &s : &saved->schedule,
                                 &saved->goal, f, times > 1 ? times : FAMILY);
    } else if (!status && s.strategy[0] && !shows(r, &saved->schedule, &saved->goal)) {
        struct sn_saved with = *saved;
        with.schedule = s;
        status = replay_all(r, &with, f);
    } else if (!status) {
        status = replay_all(r, saved, f);
    }
    sn_schedule_clear(&s);
    return status;
}

static int run(const struct sn_finding *f, struct sn_saved *saved)
{
    struct sn_options rt = sn_session_rt();
    char *why = NULL, *own = NULL;
    struct sn_runner r = {.argv = saved->argv,
                          .folder = access(saved->folder, X_OK) == 0 ? saved->folder : NULL,
                          .timeout_s =
                              sn_common.timeout_s > 0 ? sn_common.timeout_s : saved->timeout_s,
                          .expected = saved->expected,
                          .rt = &rt};
    if (sn_run_dir_make_quick(NULL, &own, &why) < 0) {
        int status = sn_fail("%s", why);
        free(why);
        return status;
    }
    r.dir = own;
    saved->argv[0] = saved->program;
    if (!gdb) /* which has a use for Ctrl-C */
        sn_asked_watch();
    int status = gdb ? sn_replay_gdb(&r, saved, f) : replay_adapted(&r, saved, f);
    sn_runner_stop(&r);
    sn_run_dir_remove(own);
    if (!gdb)
        sn_asked_leave();
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
        sn_report_text_finding(stdout, &f,
                               sn_report_color(sn_session_report_options().color, STDOUT_FILENO));
    if (!status)
        status = run(&f, &saved);
    sn_finding_clear(&f);
    sn_saved_clear(&saved);
    sn_words_free(&rest);
    return status;
}

void sn_help_replay(void)
{
    sn_help_page(
        "snag replay [options] ID",
        "Runs the program of a confirmed finding under the schedule that shows it, from\n"
        "any folder. Status 0 when it happened again every time, 1 when not. With --fixed:\n"
        "0 when it did not come again under any of many schedules like it, else 66.",
        sn_options_replay, false, "snag replay --times 100 3");
}
