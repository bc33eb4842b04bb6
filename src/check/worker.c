/* worker.c: see worker.h. */
#include "check/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/finding.h"
#include "check/plugin.h"
#include "store/xalloc.h"

/* --- in the worker --- */

static void put_message(json_t *result, const char *text)
{
    json_array_append_new(json_object_get(result, "messages"), json_stringn_nocheck(text, strlen(text)));
}

static json_t *new_result(void) { return json_pack("{s:[],s:[],s:{},s:b}", "findings", "messages", "stats", "failed", 0); }

static json_t *stats_of(const struct sn_outcome *out, const struct sn_bytecode *code, const struct sn_issues *issues)
{
    const struct sn_counts *c = &out->counts;
    double rate = out->cpu_seconds > 0 ? (double)c->instructions / out->cpu_seconds : 0;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "steps", (json_int_t)c->steps,
                     "steps_interpreted", (json_int_t)c->instructions, "schedules",
                     (json_int_t)c->runs, "races_seen", (json_int_t)c->races_seen, "unknown_calls",
                     (json_int_t)c->unknown_calls, "unknown_branches", (json_int_t)c->unknown_branches,
                     "functions", (json_int_t)code->nfunc, "instructions", (json_int_t)code->ninsn, "findings_lost",
                     (json_int_t)issues->lost, "steps_per_cpu_second", rate);
}

static void put_findings(json_t *result, const struct sn_findings *fs)
{
    for (size_t i = 0; i < fs->n; i++)
        json_array_append_new(json_object_get(result, "findings"), sn_finding_to_json(&fs->f[i]));
}

static void interpret(const struct sn_check_options *o, struct sn_bytecode *code, json_t *result)
{
    struct sn_issues *issues = sn_xcalloc(1, sizeof *issues);
    struct sn_contexts *contexts = sn_xcalloc(1, sizeof *contexts);
    struct sn_findings findings = {0};
    struct sn_outcome out;
    int r = sn_run_all(code, &o->run, issues, contexts, &out);
    if (r != 0) {
        char *text = r == -ENOENT ? sn_xformat("there is no function %s with a body", o->run.entry)
                                  : sn_xformat("cannot interpret: %s", strerror(-r));
        put_message(result, text);
        json_object_set_new(result, "failed", json_true());
        free(text);
    } else {
        sn_issues_to_findings(issues, code, contexts, &findings);
        put_findings(result, &findings);
        json_object_set_new(result, "stats", stats_of(&out, code, issues));
        json_object_set_new(result, "concurrent", json_boolean(out.concurrent));
        json_object_set_new(result, "exhausted", json_boolean(out.exhausted));
        json_object_set_new(result, "no_entry", json_boolean(out.no_entry));
        if (out.timed_out)
            put_message(result, "stopped by --timeout");
    }
    sn_findings_free(&findings);
    sn_contexts_free(contexts);
    sn_issues_free(issues);
    free(contexts);
    free(issues);
}

static json_t *check_files(const struct sn_check_options *o, char *const *files)
{
    json_t *result = new_result();
    struct sn_llvm llvm;
    struct sn_bytecode code;
    char *why = NULL;
    size_t n = 0;
    while (files[n] != NULL)
        n++;
    if (sn_llvm_open(o->lib_dir, &llvm, &why) < 0) {
        put_message(result, why);
        json_object_set_new(result, "failed", json_true());
        return result;
    }
    int r = llvm.load((const char *const *)files, n, o->ir_out, &code, &why);
    if (why != NULL)
        put_message(result, why);
    if (r != 0)
        json_object_set_new(result, "failed", json_true());
    else if (o->dump)
        sn_bytecode_dump(&code, stdout);
    else
        interpret(o, &code, result);
    sn_bytecode_free(&code);
    free(why);
    return result;
}

static void send(int fd, json_t *result)
{
    FILE *f = fdopen(fd, "w");
    if (f != NULL) {
        json_dumpf(result, f, JSON_COMPACT);
        fclose(f);
    }
    json_decref(result);
}

/* --- in the command --- */

/* A child with a pipe from it. 0: this is the child. */
static pid_t fork_with_pipe(int *fd)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        *fd = ends[1];
        return 0;
    }
    close(ends[1]);
    *fd = ends[0];
    if (pid < 0)
        close(ends[0]);
    return pid;
}

int sn_worker_start(struct sn_worker *w, const struct sn_check_options *o, char *const *files)
{
    *w = (struct sn_worker){.fd = -1};
    w->pid = fork_with_pipe(&w->fd);
    if (w->pid < 0)
        return -errno;
    if (w->pid == 0) {
        send(w->fd, check_files(o, files));
        fflush(stdout);
        _exit(0);
    }
    return 0;
}

bool sn_worker_read(struct sn_worker *w)
{
    if (w->cap - w->n < 65536)
        w->text = sn_xrealloc(w->text, w->cap += 131072, 1);
    ssize_t k = read(w->fd, w->text + w->n, w->cap - w->n - 1);
    if (k > 0)
        w->n += (size_t)k;
    return k == 0 || (k < 0 && errno != EINTR && errno != EAGAIN);
}

static void close_worker(struct sn_worker *w, int *status)
{
    close(w->fd);
    w->fd = -1;
    while (waitpid(w->pid, status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
}

static void take_findings(struct sn_check_result *out, const json_t *list)
{
    size_t i;
    json_t *j;
    json_array_foreach(list, i, j) {
        struct sn_finding f = {0};
        if (sn_finding_from_json(j, &f) == 0)
            *sn_findings_add(&out->findings) = f;
        else
            sn_finding_clear(&f);
    }
    for (size_t k = 0; k < out->findings.n; k++)
        sn_finding_finish(&out->findings.f[k]);
}

static void take_result(struct sn_check_result *out, const json_t *j)
{
    size_t i;
    json_t *text;
    take_findings(out, json_object_get(j, "findings"));
    json_array_foreach(json_object_get(j, "messages"), i, text)
        if (json_is_string(text))
            sn_words_add(&out->messages, json_string_value(text));
    out->stats = json_incref(json_object_get(j, "stats"));
    out->failed = json_is_true(json_object_get(j, "failed"));
    out->concurrent = json_is_true(json_object_get(j, "concurrent"));
    out->exhausted = json_is_true(json_object_get(j, "exhausted"));
    out->no_entry = json_is_true(json_object_get(j, "no_entry"));
}

void sn_worker_finish(struct sn_worker *w, const char *name, struct sn_check_result *out)
{
    int status = 0;
    *out = (struct sn_check_result){0};
    close_worker(w, &status);
    json_t *j = json_loadb(w->text ? w->text : "", w->n, 0, NULL);
    if (j != NULL) {
        take_result(out, j);
        json_decref(j);
    } else {
        char *text = WIFSIGNALED(status) ? sn_xformat("%s: the checker was ended by signal %d; nothing is known of it",
                                                      name, WTERMSIG(status))
                                         : sn_xformat("%s: LLVM gave up on it; nothing is known of it", name);
        sn_words_add(&out->messages, text);
        free(text);
        out->failed = true;
    }
    free(w->text);
    *w = (struct sn_worker){.fd = -1};
}

void sn_worker_cancel(struct sn_worker *w)
{
    int status;
    if (w->pid <= 0)
        return;
    kill(w->pid, SIGKILL);
    close_worker(w, &status);
    free(w->text);
    *w = (struct sn_worker){.fd = -1};
}

void sn_check_result_free(struct sn_check_result *r)
{
    sn_findings_free(&r->findings);
    sn_words_free(&r->messages);
    json_decref(r->stats);
    *r = (struct sn_check_result){0};
}

/* --- symbols --- */

static void put_symbol(void *arg, const char *name, bool defined)
{
    json_array_append_new(json_array_get(arg, defined ? 0 : 1), json_stringn_nocheck(name, strlen(name)));
}

static json_t *list_symbols(const char *lib_dir, const struct sn_sources *units)
{
    struct sn_llvm llvm;
    char *why = NULL;
    json_t *all = json_array();
    if (sn_llvm_open(lib_dir, &llvm, &why) == 0) {
        for (size_t i = 0; i < units->n; i++) {
            json_t *both = json_pack("[[],[]]");
            if (units->u[i].bitcode != NULL)
                llvm.symbols(units->u[i].bitcode, put_symbol, both);
            json_array_append_new(all, both);
        }
    }
    free(why);
    return all;
}

static void take_symbols(struct sn_words *to, const json_t *list)
{
    size_t i;
    json_t *name;
    json_array_foreach(list, i, name)
        if (json_is_string(name))
            sn_words_add(to, json_string_value(name));
}

int sn_worker_symbols(const char *lib_dir, const struct sn_sources *units, struct sn_symbols *out)
{
    struct sn_worker w = {.fd = -1};
    int status;
    w.pid = fork_with_pipe(&w.fd);
    if (w.pid < 0)
        return -errno;
    if (w.pid == 0) {
        send(w.fd, list_symbols(lib_dir, units));
        _exit(0);
    }
    while (!sn_worker_read(&w))
        ;
    close_worker(&w, &status);
    json_t *j = json_loadb(w.text ? w.text : "", w.n, 0, NULL);
    for (size_t i = 0; i < units->n && i < json_array_size(j); i++) {
        take_symbols(&out[i].defined, json_array_get(json_array_get(j, i), 0));
        take_symbols(&out[i].needed, json_array_get(json_array_get(j, i), 1));
    }
    int r = json_is_array(j) ? 0 : -EIO;
    json_decref(j);
    free(w.text);
    return r;
}
