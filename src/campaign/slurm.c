/*
 * slurm.c: units as the tasks of Slurm job arrays. The campaign's folder must be one that the nodes
 * see; programs and snag need not be (--carry: the archive is unpacked on each node).
 *
 * A last job depends on the end of all arrays: it submits anew what is missing, as often as units
 * may be retried, and then merges. So all goes on when the one who submitted has gone home; who
 * waits only watches.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "campaign/carry.h"
#include "campaign/folder.h"
#include "campaign/work.h"
#include "cmd/command.h"
#include "cmd/find_program.h"
#include "cmd/say.h"
#include "store/xalloc.h"

#define ARRAY_MAX 1001 /* Slurm's default MaxArraySize, when it does not say */
#define POLL_S 1
#define ASK_EVERY 5 /* polls between two questions to Slurm */

/* The first line that a command prints, without its end; null when it failed. malloc. */
static char *ask(const struct sn_words *argv)
{
    char *text, *line = NULL;
    size_t bytes, cap = 0;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (size_t i = 0; i < argv->n; i++) {
        char *quoted = sn_plan_quote(argv->v[i], "");
        fprintf(out, "%s ", quoted);
        free(quoted);
    }
    fclose(out);
    FILE *in = popen(text, "r");
    ssize_t n = in ? getline(&line, &cap, in) : -1;
    int status = in ? pclose(in) : -1;
    free(text);
    if (status || n < 0) {
        free(line);
        return status ? NULL : sn_xstrdup("");
    }
    line[strcspn(line, "\n")] = 0;
    return line;
}

static size_t array_max(void)
{
    size_t max = ARRAY_MAX;
    FILE *in = popen("scontrol show config 2>/dev/null", "r");
    char line[512];
    while (in && fgets(line, sizeof line, in))
        if (strncmp(line, "MaxArraySize", 12) == 0 && strchr(line, '='))
            max = strtoul(strchr(line, '=') + 1, NULL, 10);
    if (in)
        pclose(in);
    return max > 1 ? max : ARRAY_MAX;
}

static char *job_name(const struct sn_work *w)
{
    return sn_xformat("snag-%s-%.8s", w->plan->name, w->plan->id);
}

/* ---- scripts ---- */

static int write_file(const struct sn_work *w, const char *name, char *text)
{
    char *path = sn_xformat("%s/%s", w->plan->dir, name);
    int err = sn_file_write(path, text, true);
    if (err)
        sn_say("cannot write %s: %s", path, strerror(-err));
    free(path);
    free(text);
    return err ? SN_EXIT_FAILED : 0;
}

static int write_task(const struct sn_work *w)
{
    char *dir = sn_plan_quote(w->plan->dir, ""), *text;
    if (w->carry)
        text = sn_xformat(
            "#!/bin/sh\n"
            "# One task of the array: its unit, in a folder of the node.\n"
            "dir=%s\n"
            "here=${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/snag-campaign-%s-$(id -u)\n"
            "mkdir -p \"$here\" && chmod 700 \"$here\" || exit 125\n"
            "flock \"$here/unpack.lock\" sh -ec '[ -e \"$2/carry-job\" ] || "
            "cp \"$1/carry.tar\" \"$1/carry-job\" \"$2/\"' - \"$dir\" \"$here\" || exit 125\n"
            "exec sh \"$here/carry-job\" $((SNAG_UNIT_OFFSET + SLURM_ARRAY_TASK_ID)) "
            "\"$dir\"\n",
            dir, w->plan->id);
    else
        text = sn_xformat("#!/bin/sh\n# One task of the array: its unit.\n"
                          "exec sh %s/job $((SNAG_UNIT_OFFSET + SLURM_ARRAY_TASK_ID))\n",
                          dir);
    free(dir);
    return write_file(w, "slurm-task", text);
}

/* How this very command submits what is missing. */
static char *again(const struct sn_work *w)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    char *snag = sn_plan_quote(w->snag, ""), *dir = sn_plan_quote(w->plan->dir, "");
    fprintf(out, "%s campaign run --dir %s --on slurm --no-wait", snag, dir);
    if (w->throttle)
        fprintf(out, " --throttle %lld", (long long)w->throttle);
    if (w->carry)
        fputs(w->carry_libraries ? " --carry-libraries" : " --carry", out);
    for (size_t i = 0; i < w->remote.n; i++) {
        char *word = sn_xformat("--sbatch=%s", w->remote.v[i]), *quoted = sn_plan_quote(word, "");
        fprintf(out, " %s", quoted);
        free(quoted);
        free(word);
    }
    if (!w->merge_words.n)
        fputs(" --no-merge", out);
    else {
        char *store = sn_plan_quote(w->merge_words.v[0], "");
        fprintf(out, " --store %s", store);
        free(store);
    }
    fclose(out);
    free(dir);
    free(snag);
    return text;
}

static int write_last(const struct sn_work *w)
{
    char *dir = sn_plan_quote(w->plan->dir, ""), *snag = sn_plan_quote(w->snag, "");
    char *merge = sn_xstrdup("true"), *submit = again(w);
    if (w->merge_words.n) {
        char *store = sn_plan_quote(w->merge_words.v[0], "");
        free(merge);
        merge = sn_xformat("%s campaign merge --dir %s --store %s", snag, dir, store);
        free(store);
    }
    char *text = sn_xformat("#!/bin/sh\n"
                            "# After all tasks: what is missing once more, then the merge.\n"
                            "cd %s || exit 125\n"
                            "if %s campaign status --dir . | tail -n +2 | grep -q . &&\n"
                            "    [ \"$(wc -l <slurm.rounds)\" -le %lld ]; then\n"
                            "    exec %s\n"
                            "fi\n"
                            "%s >log/merge 2>&1\n"
                            "status=$?\n"
                            ": >slurm.ended\n"
                            "exit $status\n",
                            dir, snag, (long long)w->plan->retries, submit, merge);
    free(submit);
    free(merge);
    free(snag);
    free(dir);
    return write_file(w, "slurm-last", text);
}

/* ---- submitting ---- */

/* "1,4-9" for the units from..to-1 that are missing, by their number in the array. */
static char *task_list(const struct sn_work *w, size_t from, size_t to)
{
    char *text;
    size_t bytes, count = 0;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (size_t i = from; i < to; i++) {
        if (w->state[i] == SN_UNIT_DONE)
            continue;
        size_t first = i;
        while (i + 1 < to && w->state[i + 1] != SN_UNIT_DONE)
            i++;
        fprintf(out, "%s%zu", count++ ? "," : "", first - from + 1);
        if (i > first)
            fprintf(out, "-%zu", i - from + 1);
    }
    if (count && w->throttle)
        fprintf(out, "%%%lld", (long long)w->throttle);
    fclose(out);
    return text;
}

static void add(struct sn_words *argv, char *word)
{
    sn_words_add(argv, word);
    free(word);
}

static void begin_sbatch(const struct sn_work *w, struct sn_words *argv, const char *output)
{
    char *name = job_name(w);
    sn_words_add(argv, "sbatch");
    sn_words_add(argv, "--parsable");
    add(argv, sn_xformat("--job-name=%s", name));
    add(argv, sn_xformat("--chdir=%s", w->plan->dir));
    add(argv, sn_xformat("--output=%s/log/%s", w->plan->dir, output));
    sn_words_add_all(argv, w->remote.v);
    free(name);
}

/* The number of the job goes to `jobs`. */
static int submit(const struct sn_words *argv, struct sn_words *jobs)
{
    char *answer = ask(argv);
    if (!answer || !*answer) {
        free(answer);
        return sn_fail("sbatch did not take the job (its own words are above)");
    }
    answer[strcspn(answer, ";")] = 0; /* JOB;CLUSTER */
    sn_words_add(jobs, answer);
    free(answer);
    return 0;
}

static int submit_array(const struct sn_work *w, size_t from, size_t to, struct sn_words *jobs)
{
    char *list = task_list(w, from, to);
    struct sn_words argv = {0};
    int status = 0;
    if (*list) {
        begin_sbatch(w, &argv, "slurm-%A_%a");
        add(&argv, sn_xformat("--array=%s", list));
        sn_words_add(&argv, "--requeue");
        sn_words_add(&argv, "--open-mode=append");
        add(&argv, sn_xformat("--export=ALL,SNAG_UNIT_OFFSET=%zu", from));
        add(&argv, sn_xformat("%s/slurm-task", w->plan->dir));
        status = submit(&argv, jobs);
    }
    sn_words_free(&argv);
    free(list);
    return status;
}

static int submit_last(const struct sn_work *w, const struct sn_words *arrays)
{
    struct sn_words argv = {0}, jobs = {0};
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    fputs("--dependency=afterany", out);
    for (size_t i = 0; i < arrays->n; i++)
        fprintf(out, ":%s", arrays->v[i]);
    fclose(out);
    begin_sbatch(w, &argv, "slurm-last-%j");
    add(&argv, text);
    add(&argv, sn_xformat("%s/slurm-last", w->plan->dir));
    int status = submit(&argv, &jobs);
    if (!status && w->no_wait && !getenv("SLURM_JOB_ID"))
        sn_say("submitted %zu array%s and job %s, which merges; snag campaign status --dir %s",
               arrays->n, arrays->n == 1 ? "" : "s", jobs.v[0], w->plan->dir);
    sn_words_free(&jobs);
    sn_words_free(&argv);
    return status;
}

static int cancel(const struct sn_work *w, int status)
{
    char *name = job_name(w);
    sn_call((char *[]){"scancel", "-n", name, NULL});
    free(name);
    return status;
}

static int prepare(const struct sn_work *w)
{
    char path[PATH_MAX];
    if (sn_find_program("sbatch", path, sizeof path) != 0)
        return sn_fail(
            "Slurm's sbatch is not here: run this on a node from which jobs are submitted");
    int status = w->carry ? sn_carry_make(w) : sn_job_make(w);
    if (!status)
        status = write_task(w);
    return status ? status : write_last(w);
}

int sn_slurm_submit(struct sn_work *w)
{
    struct sn_words arrays = {0};
    size_t step = array_max() - 1;
    char *ended = sn_xformat("%s/slurm.ended", w->plan->dir);
    char *rounds = sn_xformat("%s/slurm.rounds", w->plan->dir);
    int status = prepare(w);
    remove(ended);
    if (!getenv("SLURM_JOB_ID")) /* asked by a person: the rounds begin anew */
        remove(rounds);
    sn_file_append(rounds, "round");
    for (size_t from = 0; !status && from < w->plan->n; from += step) {
        size_t to = from + step < w->plan->n ? from + step : w->plan->n;
        status = submit_array(w, from, to, &arrays);
    }
    if (!status)
        status = submit_last(w, &arrays);
    if (status && arrays.n)
        cancel(w, status);
    sn_words_free(&arrays);
    free(rounds);
    free(ended);
    return status;
}

/* ---- waiting ---- */

static bool has_jobs(const struct sn_work *w)
{
    struct sn_words argv = {0};
    char *name = job_name(w);
    sn_words_add(&argv, "squeue");
    sn_words_add(&argv, "--noheader");
    add(&argv, sn_xformat("--name=%s", name));
    char *answer = ask(&argv);
    bool some = !answer || *answer; /* no answer: Slurm is busy, not empty */
    free(answer);
    free(name);
    sn_words_free(&argv);
    return some;
}

static int watch(struct sn_work *w, const sigset_t *set, const char *ended)
{
    int empty = 0;
    for (unsigned i = 1; !sn_file_exists(ended); i++) {
        int sig = sigtimedwait(set, NULL, &(struct timespec){.tv_sec = POLL_S});
        if (sig > 0) {
            sn_say(
                "the jobs go on without this command: snag campaign status --dir %s; scancel ends "
                "them",
                w->plan->dir);
            return 128 + sig;
        }
        sn_work_look_for_new(w);
        if (i % ASK_EVERY == 0)
            empty = has_jobs(w) ? 0 : empty + 1;
        if (empty > 1) {
            sn_say("Slurm has no job of this campaign any more; what is there is merged");
            return 0;
        }
    }
    return 0;
}

int sn_slurm_wait(struct sn_work *w)
{
    char *ended = sn_xformat("%s/slurm.ended", w->plan->dir);
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &mask);
    sn_work_progress(w);
    int status = watch(w, &set, ended);
    sn_work_look_for_new(w);
    sn_work_progress_end(w);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    free(ended);
    return status;
}
