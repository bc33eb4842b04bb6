/*
 * unit.c: a unit at work, see unit.h. Two processes: the inner one is the command as it is; the
 * outer one waits, seals the store, and gives it its name by one rename. When the outer one is
 * killed, the inner one is killed with it.
 */
#include "campaign/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "campaign/folder.h"
#include "cmd/command.h"
#include "cmd/say.h"
#include "store/store.h"
#include "store/xalloc.h"

#define GRACE_S 5 /* between asking a unit to end and ending it */

struct unit {
    struct sn_unit_id id;
    char *store, *part;        /* where it goes; where it is written */
    char *home, *planned_home; /* null: not said */
    char key[64];              /* CAMPAIGN:NUMBER */
    double time_s;             /* 0: no limit */
};

bool sn_unit_wanted(void)
{
    const char *text = getenv("SNAG_UNIT");
    return text && *text;
}

static char *take(const char *name)
{
    char *text = sn_xstrdup(getenv(name));
    unsetenv(name); /* the program under test may call snag itself */
    return text;
}

static int read_environment(struct unit *u)
{
    char *id = take("SNAG_UNIT"), *time = take("SNAG_UNIT_TIME"), host[64] = "host";
    u->store = take("SNAG_UNIT_STORE");
    u->home = take("SNAG_UNIT_HOME");
    u->planned_home = take("SNAG_UNIT_PLANNED_HOME");
    u->time_s = time ? strtod(time, NULL) : 0;
    free(time);
    int bad = sn_unit_id_parse(id, &u->id);
    if (!bad)
        snprintf(u->key, sizeof u->key, "%.16s:%u", id, u->id.number);
    free(id);
    if (bad || !u->store || *u->store != '/')
        return sn_fail(
            "SNAG_UNIT or SNAG_UNIT_STORE is not as a campaign sets them: run the unit's "
            "file, not its command");
    gethostname(host, sizeof host - 1);
    u->part = sn_xformat("%s.part-%s-%d", u->store, host, (int)getpid());
    return 0;
}

/* ---- waiting ---- */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void watched_signals(sigset_t *set)
{
    static const int all[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(set, all[i]);
}

struct end {
    int status;  /* of wait() */
    int stopped; /* the signal by which it was asked to stop; 0 none */
    bool late;   /* it took too long */
};

/* Asks once, then ends it. */
static void give_up(pid_t pid, struct end *e, double *deadline)
{
    kill(pid, e->late ? SIGKILL : SIGTERM);
    e->late = true;
    *deadline = now_s() + GRACE_S;
}

static void wait_for(pid_t pid, double time_s, const sigset_t *set, struct end *e)
{
    double deadline = time_s > 0 ? now_s() + time_s : 0;
    for (;;) {
        double left = deadline > 0 ? deadline - now_s() : 3600;
        struct timespec t = {.tv_sec = left > 0 ? (time_t)left : 0,
                             .tv_nsec = left > 0 ? (long)((left - (double)(time_t)left) * 1e9) : 0};
        siginfo_t info;
        int sig = sigtimedwait(set, &info, &t);
        if (sig == SIGCHLD && waitpid(pid, &e->status, WNOHANG) == pid)
            return;
        if (sig > 0 && sig != SIGCHLD) {
            e->stopped = sig;
            if (info.si_code <= 0) /* by kill(): nobody else got it */
                kill(pid, sig);
        }
        if (deadline > 0 && now_s() >= deadline)
            give_up(pid, e, &deadline);
    }
}

/* ---- sealing ---- */

/* Text that begins with the folder here gets the folder of the plan. */
static json_t *move_text(const struct unit *u, const char *text)
{
    size_t n = strlen(u->home);
    if (strncmp(text, u->home, n) != 0 || (text[n] && text[n] != '/'))
        return NULL;
    char *moved = sn_xformat("%s%s", u->planned_home, text + n);
    json_t *j = json_string(moved);
    free(moved);
    return j;
}

static bool move_all(const struct unit *u, json_t *j)
{
    bool changed = false;
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(j, next, key, value)
    {
        json_t *moved = json_is_string(value) ? move_text(u, json_string_value(value)) : NULL;
        changed = move_all(u, value) || moved || changed;
        if (moved)
            json_object_set_new(j, key, moved);
    }
    for (size_t i = 0; i < json_array_size(j); i++) {
        value = json_array_get(j, i);
        json_t *moved = json_is_string(value) ? move_text(u, json_string_value(value)) : NULL;
        changed = move_all(u, value) || moved || changed;
        if (moved)
            json_array_set_new(j, i, moved);
    }
    return changed;
}

struct mover {
    const struct unit *u;
    json_t *moved; /* by key */
};

static int move_blob(void *arg, const char *key, const void *data, size_t bytes)
{
    struct mover *m = arg;
    json_t *j = json_loadb(data, bytes, 0, NULL);
    if (j && move_all(m->u, j))
        json_object_set(m->moved, key, j);
    json_decref(j);
    return 0;
}

/* Schedules and traps name the program by its path; the plan's is the one that a replay needs. */
static int move_paths(const struct unit *u, struct sn_store *s)
{
    static const char *const kinds[] = {"schedule", "tsvd-pairs", "invariants"};
    int err = 0;
    if (!u->home || !u->planned_home || strcmp(u->home, u->planned_home) == 0)
        return 0;
    for (size_t i = 0; !err && i < sizeof kinds / sizeof *kinds; i++) {
        struct mover m = {.u = u, .moved = json_object()};
        const char *key;
        json_t *value;
        err = sn_store_each_blob(s, kinds[i], move_blob, &m);
        json_object_foreach(m.moved, key, value)
        {
            char *text = sn_xcheck(json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS));
            if (!err)
                err = sn_store_put_blob(s, kinds[i], key, text, strlen(text));
            free(text);
        }
        json_decref(m.moved);
    }
    return err;
}

static int seal(const struct unit *u)
{
    struct sn_store *s;
    char *why = NULL;
    if (sn_store_open(u->part, SN_STORE_WRITE, &s, &why) < 0) {
        int status = sn_fail("%s", why);
        free(why);
        return status;
    }
    int err = move_paths(u, s);
    if (!err)
        err = sn_store_put_blob(s, SN_UNIT_KIND, u->key, "done", 4);
    if (!err)
        err = sn_store_settle(s);
    int status = err ? sn_fail("unit %u: %s", u->id.number, sn_store_error(s)) : 0;
    sn_store_close(s);
    return status;
}

static void sync_file(const char *dir)
{
    char *path = sn_xformat("%s/snag.db", dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(path);
}

/* Someone else may have finished the same unit meanwhile: his is as good. A damaged one is not. */
static int publish(const struct unit *u)
{
    char *runs = sn_xformat("%s/runs", u->part),
         *campaign = sn_xstrndup(u->key, SN_CAMPAIGN_DIGITS);
    sn_folder_remove(runs);
    sync_file(u->part);
    int err = rename(u->part, u->store) ? -errno : 0;
    if (err && sn_unit_look(u->store, campaign, u->id.number) == SN_UNIT_DONE) {
        err = sn_folder_remove(u->part);
    } else if (err) {
        sn_folder_remove(u->store);
        err = rename(u->part, u->store) ? -errno : 0;
    }
    free(runs);
    free(campaign);
    return err ? sn_fail("unit %u: the store cannot be moved to %s: %s", u->id.number, u->store,
                         strerror(-err))
               : 0;
}

/* ---- the whole ---- */

/* For `snag campaign status`, when the store is in a campaign's folder. */
static void note_failure(const struct unit *u, const char *words)
{
    char *base = strrchr(u->store, '/'), host[64] = "host";
    char *path = sn_xformat("%.*s/../fail%s", (int)(base - u->store), u->store, base);
    gethostname(host, sizeof host - 1);
    char *line = sn_xformat("on %s: %s", host, words);
    sn_file_append(path, line);
    sn_say("unit %u was not finished: %s", u->id.number, words);
    free(line);
    free(path);
}

/* 0 when the command did its work, whatever it found. */
static int judge(const struct unit *u, const struct end *e)
{
    int code = WIFEXITED(e->status) ? WEXITSTATUS(e->status) : 128 + WTERMSIG(e->status);
    char *words = NULL;
    int status = 0;
    if (e->late) {
        words = sn_xformat("it took longer than %g s", u->time_s);
        status = SN_EXIT_FAILED;
    } else if (e->stopped) {
        words = sn_xformat("it was asked to stop (signal %d)", e->stopped);
        status = 128 + e->stopped;
    } else if (WIFSIGNALED(e->status)) {
        words = sn_xformat("snag was ended by signal %d", WTERMSIG(e->status));
        status = code;
    } else if (code >= SN_EXIT_FAILED && code <= SN_EXIT_NOT_FOUND) {
        words = sn_xformat("snag's status was %d; see its log", code);
        status = code;
    }
    if (words)
        note_failure(u, words);
    free(words);
    return status;
}

static int run_inner(const struct unit *u, pid_t outer, const sigset_t *before,
                     int (*run)(int argc, char **argv), int argc, char **argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != outer)
        _exit(SN_EXIT_FAILED);
    sigprocmask(SIG_SETMASK, before, NULL);
    sn_common.store = u->part;
    return run(argc, argv);
}

static int run_outer(const struct unit *u, pid_t pid, const sigset_t *set)
{
    struct end e = {0};
    wait_for(pid, u->time_s, set, &e);
    int status = judge(u, &e);
    if (!status)
        status = seal(u);
    if (!status)
        status = publish(u);
    if (status)
        sn_folder_remove(u->part);
    return status ? status : WEXITSTATUS(e.status);
}

int sn_unit_main(int (*run)(int argc, char **argv), int argc, char **argv)
{
    struct unit u = {0};
    sigset_t set, before;
    int status = read_environment(&u);
    if (status)
        return status;
    sn_unit_id_set(&u.id);
    sn_folder_remove(u.part);
    signal(SIGCHLD, SIG_DFL); /* ignored by who started us, it would take the child's end */
    watched_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t outer = getpid(), pid = fork();
    if (pid == 0)
        return run_inner(&u, outer, &before, run, argc, argv);
    status =
        pid < 0 ? sn_fail("cannot start a process: %s", strerror(errno)) : run_outer(&u, pid, &set);
    free(u.store);
    free(u.part);
    free(u.home);
    free(u.planned_home);
    return status;
}

enum sn_unit_state sn_unit_look(const char *store, const char *campaign, uint32_t number)
{
    struct sn_store *s;
    char *why = NULL, *key;
    void *data = NULL;
    size_t bytes;
    if (!sn_file_exists(store))
        return SN_UNIT_MISSING;
    int err = sn_store_open(store, SN_STORE_READ, &s, &why);
    free(why);
    if (err)
        return SN_UNIT_HALF;
    key = sn_xformat("%s:%u", campaign, number);
    err = sn_store_check(s);
    if (!err)
        err = sn_store_get_blob(s, SN_UNIT_KIND, key, &data, &bytes);
    sn_store_close(s);
    free(data);
    free(key);
    return err ? SN_UNIT_HALF : SN_UNIT_DONE;
}
