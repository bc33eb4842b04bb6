/*
 * campaign.c: `snag campaign plan|run|status|merge`, from one machine to a cluster. The work is
 * done in src/campaign; this file has the options and the order of things.
 */
#include "cmd/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/folder.h"
#include "campaign/plan.h"
#include "campaign/unite.h"
#include "campaign/work.h"
#include "cmd/options.h"
#include "cmd/place.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "store/xalloc.h"

static const char *dir = "snag-campaign", *on = "local", *sshlogin, *budget, *unit_time;
static const char *partition, *slurm_time, *mem, *account;
static int64_t units = 16, throttle, retries = -1;
static bool fresh, resume, progress, new_only, carry, carry_libraries, no_wait, no_merge;
static struct sn_words sbatch, parallel;

const struct sn_option sn_options_campaign[] = {
    SN_OPTION_TEXT("dir", &dir, "DIR", "the campaign's folder (snag-campaign)"),
    SN_OPTION_NUMBER("units", &units, 1, 1000000, "N",
                     "plan: into how many a command is split (16)"),
    SN_OPTION_CHOICE("on", &on, "local|parallel|slurm", "run: where (local)"),
    SN_OPTION_NUMBER("retries", &retries, 0, 1000, "N",
                     "times that a failed unit is run again (4)"),
    SN_OPTION_TEXT("budget", &budget, "TIME", "no unit begins after that: 90s, 15m, 2h"),
    SN_OPTION_TEXT("unit-time", &unit_time, "TIME",
                   "a unit that takes longer is ended, and failed"),
    SN_OPTION_FLAG("fresh", &fresh, "run: plan anew, whatever is in DIR"),
    SN_OPTION_FLAG("resume", &resume, "run: go on with what is in DIR; fail when there is nothing"),
    SN_OPTION_FLAG("progress", &progress, "a progress line also without a terminal"),
    SN_OPTION_FLAG("new-only", &new_only, "report what no earlier run had found, only"),
    SN_OPTION_TEXT("sshlogin", &sshlogin, "FILE", "parallel: hosts, a line each (: is this one)"),
    SN_OPTION_LIST("parallel", &parallel, "OPTION", "parallel: an option for GNU parallel"),
    SN_OPTION_FLAG("carry", &carry, "no shared folder: take program and snag along"),
    SN_OPTION_FLAG("carry-libraries", &carry_libraries, "… and the shared libraries of snag"),
    SN_OPTION_TEXT("partition", &partition, "NAME", "slurm: of the jobs"),
    SN_OPTION_TEXT("time", &slurm_time, "TIME", "slurm: limit of each unit, as sbatch takes it"),
    SN_OPTION_TEXT("mem", &mem, "SIZE", "slurm: memory of each unit, as sbatch takes it"),
    SN_OPTION_TEXT("account", &account, "NAME", "slurm: who pays"),
    SN_OPTION_NUMBER("throttle", &throttle, 0, 1000000, "N", "slurm: units at once (--jobs)"),
    SN_OPTION_LIST("sbatch", &sbatch, "OPTION", "slurm: any other option for sbatch"),
    SN_OPTION_FLAG("no-wait", &no_wait, "slurm: submit, and return"),
    SN_OPTION_FLAG("no-merge", &no_merge, "run: leave merging to snag campaign merge"),
    SN_OPTION_END,
};

static int fail_free(char *why)
{
    int status = sn_fail("%s", why);
    free(why);
    return status;
}

/* ---- plans ---- */

static char *mark_of(const char *folder)
{
    return sn_xformat("%s/merged", folder);
}

static int take_options(struct sn_plan *p)
{
    if (retries >= 0)
        p->retries = retries;
    if (budget && sn_duration_parse(budget, &p->budget_s))
        return sn_fail("--budget is a time such as 90s, 15m or 2h, not '%s'", budget);
    if (unit_time && sn_duration_parse(unit_time, &p->unit_time_s))
        return sn_fail("--unit-time is a time such as 90s, 15m or 2h, not '%s'", unit_time);
    return 0;
}

/* From the file or the command line, not on disk yet. */
static int make_plan(const struct sn_words *files, char *const *command, struct sn_plan *p)
{
    char *why = NULL;
    int err;
    *p = (struct sn_plan){0};
    if (command && files->n)
        return sn_fail("a campaign file or a command, not both");
    if (files->n > 1)
        return sn_fail("one campaign file, not '%s' too", files->v[1]);
    if (command)
        err = sn_plan_from_words(command, units, p, &why);
    else
        err = sn_plan_from_file(files->v[0], p, &why);
    if (err)
        return fail_free(why);
    return take_options(p);
}

static int save_plan(struct sn_plan *p)
{
    char *why = NULL, *mark = mark_of(dir);
    remove(mark);
    free(mark);
    return sn_plan_save(p, dir, sn_place_exe(), &why) ? fail_free(why) : 0;
}

/* One command at a time works in the folder. The descriptor stays open until the end. The lock is the
 * process's own: a child that has not become another program yet does not hold it when this process
 * is killed. */
static int lock_fd = -1;

static int lock_folder(void)
{
    char *path = sn_xformat("%s/lock", dir);
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int status = 0;
    lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_fd >= 0 && fcntl(lock_fd, F_SETLK, &all) < 0 &&
        (errno == EACCES || errno == EAGAIN))
        status = sn_fail("another snag works on the campaign in %s: wait for it, or choose another "
                         "folder with --dir",
                         dir);
    free(path);
    return status;
}

static int plan(const struct sn_words *files, char *const *command)
{
    struct sn_plan p = {0};
    if (!command && !files->n)
        return sn_fail("what is to be planned? snag campaign plan FILE, or snag campaign plan "
                       "--units N -- fuzz ./prog");
    int status = make_plan(files, command, &p);
    if (!status && sn_folder_make(dir))
        status = sn_fail("cannot make the folder %s: %s", dir, strerror(errno));
    if (!status)
        status = lock_folder();
    if (!status)
        status = save_plan(&p);
    if (!status)
        printf("%s: %zu units in %s/units\n", p.name, p.n, dir);
    sn_plan_clear(&p);
    return status;
}

/* ---- the end ---- */

static int report(struct sn_work *w, struct sn_report *r, struct sn_words *messages)
{
    struct sn_report_options o = sn_session_report_options();
    r->command = sn_command_line;
    r->messages = messages->v;
    if (sn_report_emit(r, &o) < 0)
        return SN_EXIT_FAILED;
    if (sn_work_has_failed(w))
        return SN_EXIT_FAILED;
    return sn_report_found(r) ? (int)sn_common.exitcode : 0;
}

static const char *target(const struct sn_plan *p)
{
    return sn_common.store && strcmp(sn_common.store, ".snag") != 0 ? sn_common.store : p->store;
}

static int unite(struct sn_work *w)
{
    struct sn_report r = {0};
    struct sn_words messages = {0};
    int status = sn_unite(w, target(w->plan), new_only, &r, &messages);
    if (!status) {
        sn_work_tidy(w);
        if (w->done == w->plan->n) {
            char *mark = mark_of(w->plan->dir);
            sn_file_write(mark, "", false);
            free(mark);
        }
        status = report(w, &r, &messages);
    }
    sn_findings_free(&r.findings);
    json_decref(r.stats);
    sn_words_free(&messages);
    return status;
}

static int load_plan(struct sn_plan *p)
{
    char *why = NULL;
    return sn_plan_load(dir, p, &why) ? fail_free(why) : 0;
}

static void take_dir(const struct sn_words *files)
{
    if (files->n)
        dir = files->v[0];
}

static int merge(const struct sn_words *files, char *const *command)
{
    struct sn_plan p = {0};
    struct sn_work w;
    (void)command;
    take_dir(files);
    int status = sn_session_check_outputs();
    if (!status)
        status = load_plan(&p);
    if (status)
        return status;
    sn_work_init(&w, &p);
    sn_work_look(&w);
    status = unite(&w);
    sn_work_clear(&w);
    sn_plan_clear(&p);
    return status;
}

/* ---- running ---- */

/* The plan in the folder, when the same command has begun it and not ended it. */
static bool goes_on(struct sn_plan *p, const struct sn_plan *wanted)
{
    char *why = NULL, *mark = mark_of(dir);
    bool same = !fresh && !sn_file_exists(mark) && sn_plan_load(dir, p, &why) == 0;
    if (same && strcmp(p->source, wanted->source) != 0) {
        sn_plan_clear(p);
        same = false;
    }
    free(why);
    free(mark);
    return same;
}

static bool holds_other_work(void)
{
    struct sn_plan p;
    struct sn_work w;
    char *why = NULL, *mark = mark_of(dir);
    bool other = !sn_file_exists(mark) && sn_plan_load(dir, &p, &why) == 0;
    if (other) {
        sn_work_init(&w, &p);
        size_t missing = sn_work_look(&w);
        other = missing < p.n;
        sn_work_clear(&w);
        sn_plan_clear(&p);
    }
    free(why);
    free(mark);
    return other;
}

/* The plan to run: the one in the folder, or a new one. */
static int find_plan(const struct sn_words *files, char *const *command, struct sn_plan *p)
{
    if (!files->n && !command)
        return load_plan(p);
    struct sn_plan wanted;
    int status = make_plan(files, command, &wanted);
    if (!status && goes_on(p, &wanted)) {
        sn_plan_clear(&wanted);
        return 0;
    }
    if (!status && resume)
        status = sn_fail("--resume: %s has no unfinished campaign of this kind", dir);
    if (!status && !fresh && holds_other_work())
        status =
            sn_fail("%s has units of another campaign that were not merged: snag campaign merge "
                    "--dir %s, another --dir, or --fresh",
                    dir, dir);
    if (!status)
        status = save_plan(&wanted);
    if (status)
        sn_plan_clear(&wanted);
    else
        *p = wanted;
    return status;
}

static void add_sbatch(struct sn_work *w, const char *option, const char *value)
{
    if (!value)
        return;
    char *word = sn_xformat("--%s=%s", option, value);
    sn_words_add(&w->remote, word);
    free(word);
}

static void take_engine_options(struct sn_work *w)
{
    w->jobs = sn_common.jobs;
    w->snag = sn_place_exe();
    w->show = !sn_common.quiet && (progress || isatty(STDERR_FILENO));
    w->sshlogin = sshlogin;
    w->carry = carry || carry_libraries;
    w->carry_libraries = carry_libraries;
    w->throttle = throttle ? throttle : sn_common.jobs;
    w->no_wait = no_wait;
    if (strcmp(on, "slurm") == 0) {
        add_sbatch(w, "partition", partition);
        add_sbatch(w, "time", slurm_time);
        add_sbatch(w, "mem", mem);
        add_sbatch(w, "account", account);
        sn_words_add_all(&w->remote, sbatch.v);
    } else {
        sn_words_add_all(&w->remote, parallel.v);
    }
    char *here = getcwd(NULL, 0), *store = sn_path_below(here ? here : ".", target(w->plan));
    if (!no_merge)
        sn_words_add(&w->merge_words, store);
    free(store);
    free(here);
}

static int run_units(struct sn_work *w)
{
    if (strcmp(on, "slurm") == 0) {
        int status = sn_slurm_submit(w);
        close(lock_fd); /* the job that merges may have to submit what is missing */
        return status || no_wait ? status : sn_slurm_wait(w);
    }
    return strcmp(on, "parallel") == 0 ? sn_parallel_run(w) : sn_local_run(w);
}

static int run(const struct sn_words *files, char *const *command)
{
    struct sn_plan p = {0};
    struct sn_work w;
    int status = sn_session_check_outputs();
    if (!status && sn_folder_make(dir))
        status = sn_fail("cannot make the folder %s: %s", dir, strerror(errno));
    if (!status)
        status = lock_folder();
    if (!status)
        status = find_plan(files, command, &p);
    if (!status)
        status = take_options(&p);
    if (status) {
        sn_plan_clear(&p);
        return status;
    }
    sn_work_init(&w, &p);
    take_engine_options(&w);
    if (sn_work_look(&w))
        status = run_units(&w);
    if (!status && !no_wait)
        status = no_merge ? (sn_work_has_failed(&w) ? SN_EXIT_FAILED : 0) : unite(&w);
    sn_work_clear(&w);
    sn_plan_clear(&p);
    return status;
}

static int status(const struct sn_words *files, char *const *command)
{
    struct sn_plan p = {0};
    struct sn_work w;
    (void)command;
    take_dir(files);
    int failed = load_plan(&p);
    if (failed)
        return failed;
    sn_work_init(&w, &p);
    for (size_t i = 0; i < p.n; i++)
        sn_work_look_at(&w, i);
    printf("%s: %zu of %zu units done, %zu finding%s so far\n", p.name, w.done, p.n,
           json_object_size(w.keys), json_object_size(w.keys) == 1 ? "" : "s");
    for (size_t i = 0; i < p.n; i++) {
        if (w.state[i] == SN_UNIT_DONE)
            continue;
        char *why = sn_work_why(&p, i);
        printf("%zu\t%s\t%s\t%s\n", i + 1, w.state[i] == SN_UNIT_HALF ? "half-written" : "missing",
               p.unit[i].what, why ? why : "");
        free(why);
    }
    sn_work_clear(&w);
    sn_plan_clear(&p);
    return 0;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*run)(const struct sn_words *files, char *const *command);
} verbs[] = {{"plan", plan}, {"run", run}, {"status", status}, {"merge", merge}};

/* What stands behind `--` is a command of snag; null when there is no `--`. */
static char **cut_command(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            *argc = i;
            return argv + i + 1;
        }
    return NULL;
}

int sn_cmd_campaign(int argc, char **argv)
{
    struct sn_words words = {0};
    char **command = cut_command(&argc, argv);
    int result = sn_options_read_mixed(argc, argv, sn_options_campaign, &words);
    size_t v = 0, n = sizeof verbs / sizeof *verbs;
    while (!result && v < n && (!words.n || strcmp(words.v[0], verbs[v].name) != 0))
        v++;
    if (!result && v == n)
        result = sn_fail("snag campaign plan, run, status or merge, not '%s' (snag help campaign)",
                         words.n ? words.v[0] : "");
    if (!result) {
        struct sn_words rest = {0};
        sn_words_add_all(&rest, words.v + 1);
        result = verbs[v].run(&rest, command);
        sn_words_free(&rest);
    }
    sn_words_free(&words);
    return result;
}

void sn_help_campaign(void)
{
    sn_help_page(
        "snag campaign plan|run|status|merge [options] [FILE | -- COMMAND …]",
        "Splits work into units, each a plain command of snag with seeds or a test of its\n"
        "own, and runs them on this machine, on other ones through GNU parallel, or on a\n"
        "cluster through Slurm. A unit that was killed or lost is run again; the stores\n"
        "are united; the report says what is new. doc/campaign.md has the keywords.",
        sn_options_campaign, false,
        "snag campaign run nightly.campaign\n"
        "  snag campaign run --units 20 --jobs 4 -- fuzz --schedules 2000 ./prog");
}
