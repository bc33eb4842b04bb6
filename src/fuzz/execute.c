/*
 * execute.c: one execution. The plan goes to the server, or into the run folder, the program runs
 * under the engine `sched`, and its run file says what was decided and what was found. Of many
 * processes the one that found something counts, else the one that said most.
 */
#include "fuzz/execute.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/unit.h"
#include "cmd/command.h"
#include "cmd/launch.h"
#include "cmd/say.h"
#include "core/contract.h"
#include "core/hash.h"
#include "fuzz/asked.h"
#include "fuzz/effect.h"
#include "fuzz/output.h"
#include "fuzz/server.h"
#include "store/runreader.h"
#include "store/xalloc.h"

void sn_execution_clear(struct sn_execution *e)
{
    for (size_t i = 0; i < e->nmodules; i++)
        free(e->module[i]);
    free(e->module);
    free(e->effect);
    free(e->log);
    free(e->hit);
    free(e->found);
    free(e->seen);
    free(e->step);
    free(e->choice);
    *e = (struct sn_execution){0};
}

const char *sn_execution_module(const struct sn_execution *e, uint64_t frame)
{
    unsigned i = SN_FRAME_MODULE(frame);
    const char *path = i < e->nmodules ? e->module[i] : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static void add_module(struct sn_execution *e, const struct sn_rec *rec)
{
    struct sn_run_module m;
    if (sn_run_module(rec, &m) < 0 || m.head->index >= 65535)
        return;
    if (m.head->index >= e->nmodules) {
        size_t n = m.head->index + 1;
        e->module = sn_xrealloc(e->module, n, sizeof *e->module);
        memset(e->module + e->nmodules, 0, (n - e->nmodules) * sizeof *e->module);
        e->nmodules = n;
    }
    free(e->module[m.head->index]);
    e->module[m.head->index] = sn_xstrndup(m.path, m.path_bytes);
}

static void add_log(struct sn_execution *e, const struct sn_log_entry *entry, size_t n)
{
    e->log = sn_xrealloc(e->log, e->nlog + n, sizeof *e->log);
    for (size_t i = 0; i < n && entry[i].kind != SN_LOG_END; i++)
        e->log[e->nlog++] = entry[i];
}

static void add_choices(struct sn_execution *e, const struct sn_log_choice *c, size_t n)
{
    e->choice = sn_xrealloc(e->choice, e->nchoices + n, sizeof *e->choice);
    for (size_t i = 0; i < n && c[i].kind != SN_LOG_END; i++)
        e->choice[e->nchoices++] = c[i];
}

static int by_number(const void *a, const void *b)
{
    const struct sn_log_step *x = a, *y = b;
    return x->number == y->number ? 0 : x->number < y->number ? -1 : 1;
}

static void add_steps(struct sn_execution *e, const struct sn_log_step *step, size_t n)
{
    free(e->step);
    e->step = sn_xcalloc(n, sizeof *e->step);
    e->nsteps = 0;
    for (size_t i = 0; i < n; i++)
        if (step[i].number)
            e->step[e->nsteps++] = step[i];
    qsort(e->step, e->nsteps, sizeof *e->step, by_number);
}

static void add_engine_record(struct sn_execution *e, const struct sn_rec *rec)
{
    const uint32_t *type = (const uint32_t *)(rec + 1);
    size_t bytes = rec->bytes - sizeof *rec - rec->payload_slack;
    if (bytes < 8)
        return;
    const void *data = type + 2;
    bytes -= 8;
    if (*type == SN_SCHED_LOG) {
        add_log(e, data, bytes / sizeof *e->log);
    } else if (*type == SN_SCHED_HIT && bytes >= sizeof *e->hit) {
        e->hit = sn_xrealloc(e->hit, e->nhits + 1, sizeof *e->hit);
        memcpy(&e->hit[e->nhits++], data, sizeof *e->hit);
    } else if (*type == SN_SCHED_SUMMARY && bytes >= sizeof e->summary) {
        memcpy(&e->summary, data, sizeof e->summary);
    } else if (*type == SN_SCHED_SEEN && bytes >= sizeof *e->seen) {
        e->seen = sn_xrealloc(e->seen, e->nseen + 1, sizeof *e->seen);
        memcpy(&e->seen[e->nseen++], data, sizeof *e->seen);
    } else if (*type == SN_SCHED_CHOICES) {
        add_choices(e, data, bytes / sizeof *e->choice);
    } else if (*type == SN_SCHED_STEPS) {
        add_steps(e, data, bytes / sizeof *e->step);
    }
}

/* The same in every execution: addresses are fixed, and modules have the same numbers. */
static void add_finding(struct sn_execution *e, const struct sn_rec *rec)
{
    struct sn_run_finding f;
    if (sn_run_finding(rec, &f) < 0)
        return;
    uint64_t all = 0;
    for (unsigned i = 0; i < f.head->nsites; i++) {
        const struct sn_run_site *s = &f.site[i];
        all += sn_hash_mix(s->head->nframes ? s->frames[0] : 0);
    }
    e->found = sn_xrealloc(e->found, e->nfound + 1, sizeof *e->found);
    e->found[e->nfound++] = SN_FOUND(all, f.head->kind);
}

static void read_run(struct sn_execution *e, struct sn_run_file *f, bool *stopped)
{
    e->watched = true;
    e->instrumented |= f->header.instrumented != 0;
    *stopped |= f->header.state == SN_RUN_STOPPED;
    for (const struct sn_rec *rec; (rec = sn_run_next(f));) {
        if (rec->type == SN_REC_MODULE)
            add_module(e, rec);
        else if (rec->type == SN_REC_ENGINE)
            add_engine_record(e, rec);
        else if (rec->type == SN_REC_FINDING)
            add_finding(e, rec);
    }
    sn_run_unload(f);
}

/* How much the process had to say. */
static uint64_t weight_of(const struct sn_run_header *h)
{
    return h->reserved + 1 + (h->counters[SN_C_FINDINGS] ? 1ull << 40 : 0);
}

static uint64_t weight_of_file(const char *path)
{
    struct sn_run_header h = {0};
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(&h, sizeof h, 1, f) : 0;
    if (f)
        fclose(f);
    return n == 1 && h.magic == SN_RUN_MAGIC ? weight_of(&h) : 0;
}

static bool is_run_file(const char *name)
{
    size_t n = strlen(name);
    return n >= 4 && strcmp(name + n - 4, ".run") == 0;
}

/* Files that every execution of the server uses. */
static bool is_servers(const struct sn_runner *r, const char *name)
{
    return r->server && (strcmp(name, sn_server_run_name(r->server)) == 0 ||
                         strcmp(name, SN_CONTRACT_FILE) == 0 || strcmp(name, "stderr") == 0 ||
                         strcmp(name, "stdout") == 0);
}

static DIR *folder_of(struct sn_runner *r)
{
    if (!r->open_dir)
        r->open_dir = opendir(r->dir);
    else
        rewinddir(r->open_dir);
    return r->open_dir;
}

/* The run file that counts, of those that are not the server's own, if it says more than that.
 * malloc; null: none. */
static char *main_file(struct sn_runner *r, uint64_t most)
{
    char *best = NULL;
    DIR *d = folder_of(r);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (is_servers(r, e->d_name) || e->d_name[0] == '.')
            continue;
        r->litter = true;
        if (!is_run_file(e->d_name))
            continue;
        char *path = sn_xformat("%s/%s", r->dir, e->d_name);
        uint64_t weight = weight_of_file(path);
        if (weight > most) {
            most = weight;
            free(best);
            best = path;
        } else {
            free(path);
        }
    }
    return best;
}

void sn_runner_clean(struct sn_runner *r)
{
    DIR *d = folder_of(r);
    for (struct dirent *e; d && (e = readdir(d));)
        if (!is_servers(r, e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    r->litter = false;
}

static int write_plan(const struct sn_runner *r, const char *text)
{
    char *path = sn_xformat("%s/plan", r->dir);
    FILE *f = fopen(path, "w");
    bool good = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0)
        good = false;
    free(path);
    return good ? 0 : sn_fail("the plan cannot be written into %s", r->dir);
}

static enum sn_end end_of(const struct sn_runner *r, const struct sn_ended *ended, bool stopped)
{
    if (ended->timed_out)
        return SN_END_HANG;
    if (stopped)
        return SN_END_DEADLOCK;
    if (ended->status > 128 && ended->status < 128 + SIGRTMIN && ended->status != r->expected)
        return SN_END_SIGNAL;
    return ended->status == r->expected ? SN_END_OK : SN_END_STATUS;
}

static void add_log_of(struct sn_execution *e, struct sn_run_file *f)
{
    for (const struct sn_rec *rec; (rec = sn_run_next(f));)
        if (rec->type == SN_REC_ENGINE && *(const uint32_t *)(rec + 1) == SN_SCHED_LOG)
            add_engine_record(e, rec);
    sn_run_unload(f);
}

static void load_log(const char *path, const char *counted, struct sn_execution *out)
{
    struct sn_run_file f;
    char *why = NULL;
    if (strcmp(path, counted) != 0 && sn_run_load(path, &f, &why) == 0)
        add_log_of(out, &f);
    free(why);
}

/* What a forked process did began with what its parents decided. */
static void add_other_logs(struct sn_runner *r, const struct sn_run_header *own, size_t bytes,
                           const char *counted, struct sn_execution *out)
{
    struct sn_run_file f;
    char *why = NULL;
    if (own && sn_run_load_memory(own, bytes, &f, &why) == 0)
        add_log_of(out, &f);
    free(why);
    DIR *d = folder_of(r);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (is_servers(r, e->d_name) || !is_run_file(e->d_name))
            continue;
        char *path = sn_xformat("%s/%s", r->dir, e->d_name);
        load_log(path, counted, out);
        free(path);
    }
}

/* The run file of the process that counts: the server's, mapped, or one in the folder. */
static void read_what_counts(struct sn_runner *r, struct sn_execution *out, bool *stopped)
{
    struct sn_run_file f;
    size_t bytes = 0;
    const struct sn_run_header *own = r->server ? sn_server_run(r->server, &bytes) : NULL;
    uint64_t said = own ? weight_of(own) - sn_server_base(r->server) : 0;
    char *file = main_file(r, said), *why = NULL;
    if (file ? sn_run_load(file, &f, &why) == 0
             : own && sn_run_load_memory(own, bytes, &f, &why) == 0)
        read_run(out, &f, stopped);
    if (file && (!out->nlog || out->log[0].process))
        add_other_logs(r, own, bytes, file, out);
    free(file);
    free(why);
}

static char *file_of(const struct sn_runner *r, const char *name)
{
    return r->show ? NULL : sn_xformat("%s/%s", r->dir, name);
}

static void take_in(struct sn_runner *r, const struct sn_ended *ended, struct sn_execution *out)
{
    bool stopped = false;
    char *err = file_of(r, "stderr");
    read_what_counts(r, out, &stopped);
    out->status = ended->status;
    out->seconds = ended->seconds;
    out->dir = r->dir;
    out->end = end_of(r, ended, stopped);
    out->effect = sn_effect_words(out->end, out->status, r->expected, r->timeout_s, err);
    if (r->keep_output)
        out->output = sn_output_sum(r->dir);
    free(err);
}

/* The processors that snag itself has: the program is told of them, though it gets one. */
static void name_processors(struct sn_options *rt)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) < 0)
        return;
    for (size_t i = 0; i < sizeof set && 2 * i + 3 <= sizeof rt->cpus; i++)
        sprintf(rt->cpus + 2 * i, "%02x", ((const unsigned char *)&set)[i]);
}

static void set_launch(struct sn_runner *r, const struct sn_schedule *s, struct sn_options *rt,
                       struct sn_launch *launch)
{
    *rt = *r->rt;
    rt->seed = s->seed;
    name_processors(rt);
    *launch = (struct sn_launch){.engine = "sched",
                                 .argv = r->argv,
                                 .run_dir = r->dir,
                                 .rt = rt,
                                 .timeout_s = r->timeout_s,
                                 .folder = r->folder,
                                 .out = r->show          ? NULL
                                        : r->keep_output ? file_of(r, "stdout")
                                                         : sn_xstrdup("/dev/null"),
                                 .err = file_of(r, "stderr"),
                                 .no_input = !r->show,
                                 .fixed_addresses = true};
}

static void clear_launch(struct sn_launch *launch)
{
    free((char *)launch->out);
    free((char *)launch->err);
}

/* What the execution before wrote. */
static void empty(int *fd, const char *dir, const char *name)
{
    struct stat st;
    if (*fd < 0) {
        char *path = sn_xformat("%s/%s", dir, name);
        *fd = open(path, O_WRONLY | O_CLOEXEC);
        free(path);
    }
    if (*fd >= 0 && fstat(*fd, &st) == 0 && st.st_size && ftruncate(*fd, 0) < 0)
        st.st_size = 0;
}

static void give_up_server(struct sn_runner *r)
{
    sn_runner_stop(r);
    sn_runner_clean(r); /* what the server left */
    r->no_server = true;
}

bool sn_execute_begin(struct sn_runner *r, const struct sn_schedule *s)
{
    if (r->show || r->no_server)
        return false;
    if (!r->server) {
        struct sn_options rt;
        struct sn_launch launch;
        set_launch(r, s, &rt, &launch);
        sn_runner_clean(r);
        r->server = sn_server_start(&launch);
        r->err_fd = r->out_fd = -1;
        clear_launch(&launch);
    }
    if (r->server) {
        if (r->litter)
            sn_runner_clean(r);
        empty(&r->err_fd, r->dir, "stderr");
        if (r->keep_output)
            empty(&r->out_fd, r->dir, "stdout");
        char *text = sn_schedule_to_text(s);
        int bad = sn_server_begin(r->server, s->seed, text, r->timeout_s);
        free(text);
        if (!bad)
            return true;
    }
    give_up_server(r);
    return false;
}

int sn_execute_end(struct sn_runner *r, const struct sn_ended *ended, struct sn_execution *out)
{
    *out = (struct sn_execution){.asked_to_stop = ended->asked_to_stop};
    if (sn_unit_disturbed(ended->status, ended->timed_out))
        return SN_EXIT_FAILED;
    if (!ended->asked_to_stop) /* else its end, and what it came to, is snag's doing */
        take_in(r, ended, out);
    return 0;
}

/* By the server, if there is one or can be. */
static bool served(struct sn_runner *r, const struct sn_schedule *s, struct sn_ended *ended)
{
    if (!sn_execute_begin(r, s))
        return false;
    if (sn_server_await(r->server, ended) == 0)
        return true;
    give_up_server(r);
    return false;
}

void sn_runner_stop(struct sn_runner *r)
{
    if (r->server) {
        if (r->err_fd >= 0)
            close(r->err_fd);
        if (r->out_fd >= 0)
            close(r->out_fd);
    }
    sn_server_stop(r->server);
    r->server = NULL;
    if (r->open_dir)
        closedir(r->open_dir);
    r->open_dir = NULL;
}

/* The program is started for this execution alone. */
static int launched(struct sn_runner *r, const struct sn_schedule *s, struct sn_ended *ended)
{
    struct sn_options rt;
    struct sn_launch launch;
    sn_runner_clean(r);
    char *text = sn_schedule_to_text(s);
    int status = write_plan(r, text);
    free(text);
    if (status)
        return status;
    set_launch(r, s, &rt, &launch);
    status = sn_launch(&launch, ended);
    clear_launch(&launch);
    return status;
}

int sn_execute(struct sn_runner *r, const struct sn_schedule *s, struct sn_execution *out)
{
    struct sn_ended ended = {0};
    int status = 0;
    *out = (struct sn_execution){0};
    if ((sn_asked() || !served(r, s, &ended)) && !(ended.asked_to_stop = sn_asked()))
        status = launched(r, s, &ended);
    if (!status)
        sn_asked_note(ended.asked_to_stop);
    return status ? status : sn_execute_end(r, &ended, out);
}
