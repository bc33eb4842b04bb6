/*
 * execute.c: one execution. The plan goes into the run folder, the program runs under the engine
 * `sched`, and its run file says what was decided and what was found. Of many processes the one
 * that found something counts, else the one that said most.
 */
#include "fuzz/execute.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/launch.h"
#include "cmd/say.h"
#include "fuzz/effect.h"
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
        all += ((s->head->nframes ? s->frames[0] : 0) + 1) * 0x9e3779b97f4a7c15ull;
    }
    e->found = sn_xrealloc(e->found, e->nfound + 1, sizeof *e->found);
    e->found[e->nfound++] = SN_FOUND(all, f.head->kind);
}

static void read_file(struct sn_execution *e, const char *path, bool *stopped)
{
    struct sn_run_file f;
    char *why = NULL;
    if (sn_run_load(path, &f, &why) < 0) {
        free(why);
        return;
    }
    e->watched = true;
    e->instrumented |= f.header.instrumented != 0;
    *stopped |= f.header.state == SN_RUN_STOPPED;
    for (const struct sn_rec *rec; (rec = sn_run_next(&f));) {
        if (rec->type == SN_REC_MODULE)
            add_module(e, rec);
        else if (rec->type == SN_REC_ENGINE)
            add_engine_record(e, rec);
        else if (rec->type == SN_REC_FINDING)
            add_finding(e, rec);
    }
    sn_run_unload(&f);
}

/* Bytes of records: how much the process had to say. */
static uint64_t weight_of(const char *path)
{
    struct sn_run_header h = {0};
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(&h, sizeof h, 1, f) : 0;
    if (f)
        fclose(f);
    return n == 1 && h.magic == SN_RUN_MAGIC
               ? h.reserved + 1 + (h.counters[SN_C_FINDINGS] ? 1ull << 40 : 0)
               : 0;
}

/* The run file that counts. malloc; null: none. */
static char *main_file(const char *dir)
{
    char *best = NULL;
    uint64_t most = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".run") != 0)
            continue;
        char *path = sn_xformat("%s/%s", dir, e->d_name);
        uint64_t weight = weight_of(path);
        if (weight > most) {
            most = weight;
            free(best);
            best = path;
        } else {
            free(path);
        }
    }
    if (d)
        closedir(d);
    return best;
}

void sn_runner_clean(const struct sn_runner *r)
{
    DIR *d = opendir(r->dir);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

static int write_plan(const struct sn_runner *r, const struct sn_schedule *s)
{
    char *path = sn_xformat("%s/plan", r->dir), *text = sn_schedule_to_text(s);
    FILE *f = fopen(path, "w");
    bool good = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0)
        good = false;
    free(path);
    free(text);
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

static void take_in(const struct sn_runner *r, const struct sn_ended *ended, const char *err,
                    struct sn_execution *out)
{
    bool stopped = false;
    char *file = main_file(r->dir);
    if (file)
        read_file(out, file, &stopped);
    free(file);
    out->status = ended->status;
    out->seconds = ended->seconds;
    out->asked_to_stop = ended->asked_to_stop;
    out->end = end_of(r, ended, stopped);
    out->effect = sn_effect_words(out->end, out->status, r->expected, r->timeout_s, err);
}

/* By the server, if there is one or can be. */
static bool served(struct sn_runner *r, const struct sn_launch *launch, struct sn_ended *ended)
{
    if (r->show || r->no_server)
        return false;
    if (!r->server)
        r->server = sn_server_start(launch);
    if (r->server && sn_server_run(r->server, launch->rt->seed, r->timeout_s, ended) == 0)
        return true;
    sn_runner_stop(r);
    sn_runner_clean(r); /* what the server left */
    r->no_server = true;
    return false;
}

void sn_runner_stop(struct sn_runner *r)
{
    sn_server_stop(r->server);
    r->server = NULL;
}

int sn_execute(struct sn_runner *r, const struct sn_schedule *s, struct sn_execution *out)
{
    *out = (struct sn_execution){0};
    sn_runner_clean(r);
    int status = write_plan(r, s);
    if (status)
        return status;
    char *err = r->show ? NULL : sn_xformat("%s/stderr", r->dir);
    struct sn_options rt = *r->rt;
    rt.seed = s->seed;
    struct sn_launch launch = {.engine = "sched",
                               .argv = r->argv,
                               .run_dir = r->dir,
                               .rt = &rt,
                               .timeout_s = r->timeout_s,
                               .folder = r->folder,
                               .out = r->show ? NULL : "/dev/null",
                               .err = err,
                               .no_input = !r->show,
                               .fixed_addresses = true};
    struct sn_ended ended;
    if (!served(r, &launch, &ended))
        status = sn_launch(&launch, &ended);
    if (!status)
        take_in(r, &ended, err, out);
    free(err);
    return status;
}
