/*
 * replay_gdb.c: a finding under the debugger. gdb itself runs freely; the program gets snag's
 * library by an exec-wrapper. A race stops at the second of the two accesses: the first thread
 * stands before its own, so both stacks can be looked at (`thread apply all bt`); a failure stops
 * where the signal comes.
 */
#include "cmd/replay_gdb.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/launch.h"
#include "cmd/say.h"
#include "store/xalloc.h"

extern char **environ;

static int write_plan(const struct sn_runner *r, const struct sn_schedule *s)
{
    char *plan = sn_schedule_to_text(s), *path = sn_xformat("%s/plan", r->dir);
    FILE *out = fopen(path, "w");
    bool good = out && fputs(plan, out) >= 0;
    if (out && fclose(out) != 0)
        good = false;
    free(plan);
    free(path);
    return good ? 0 : sn_fail("the plan cannot be written into %s", r->dir);
}

static void add_command(struct sn_words *words, char *command)
{
    sn_words_add(words, "-ex");
    sn_words_add(words, command);
    free(command);
}

/* For gdb, words are quoted like a shell's. */
static char *wrapper(const struct sn_words *env)
{
    char *text = sn_xstrdup("set exec-wrapper env");
    for (size_t i = 0; i < env->n; i++) {
        bool known = false;
        for (char **e = environ; *e && !known; e++)
            known = strcmp(*e, env->v[i]) == 0;
        if (known)
            continue;
        char *longer = sn_xformat("%s '%s'", text, env->v[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* From the runtime's frames up to the program's own: the function of one of the sites. */
static void add_frames(struct sn_words *words, const struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsites && i < 2; i++) {
        const struct sn_frame *at = sn_site_frame(&f->sites[i]);
        if (at && at->function && !strchr(at->function, ' '))
            add_command(words, sn_xformat("frame function %s", at->function));
    }
}

static void make_commands(struct sn_words *words, const struct sn_saved *saved,
                          const struct sn_finding *f, const struct sn_words *env)
{
    sn_words_add(words, "gdb");
    sn_words_add(words, "-q");
    add_command(words, wrapper(env));
    add_command(words, sn_xstrdup("set breakpoint pending on"));
    if (saved->goal.race)
        add_command(words, sn_xstrdup("break sn_hit_report"));
    else if (saved->goal.end == SN_END_DEADLOCK)
        add_command(words, sn_xstrdup("break sn_runtime_stop"));
    else
        add_command(words, sn_xstrdup("break exit"));
    add_command(words, sn_xstrdup("run"));
    add_frames(words, f);
    sn_words_add(words, "--args");
    sn_words_add(words, saved->program);
    sn_words_add_all(words, saved->argv + 1);
}

static int run(const struct sn_words *words, const char *folder)
{
    int pid, status = 0;
    if (folder && chdir(folder) < 0)
        sn_say("%s: %s", folder, strerror(errno));
    int e = posix_spawnp(&pid, "gdb", NULL, NULL, words->v, environ);
    if (e)
        return sn_fail("gdb cannot be started: %s", strerror(e));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : SN_EXIT_FAILED;
}

int sn_replay_gdb(const struct sn_runner *r, const struct sn_saved *saved,
                  const struct sn_finding *f)
{
    struct sn_words words = {0}, env = {0};
    struct sn_options rt = *r->rt;
    rt.seed = saved->schedule.seed;
    struct sn_launch launch = {.engine = "sched", .run_dir = r->dir, .rt = &rt};
    int status = write_plan(r, &saved->schedule);
    if (!status)
        status = sn_launch_environment(&launch, &env);
    if (!status) {
        make_commands(&words, saved, f, &env);
        status = run(&words, r->folder);
    }
    sn_words_free(&words);
    sn_words_free(&env);
    return status;
}
