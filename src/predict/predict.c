/* predict.c: windows over processes. The shared page says which window is next and what was found.
 */
#include "predict/predict.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "predict/sites.h"
#include "predict/tell.h"
#include "store/xalloc.h"

#define FOUND_SLOTS 65536 /* pairs of sites known to all workers; more are only found twice */

struct shared {
    uint64_t next; /* window to take; atomic */
    uint64_t done; /* windows analysed; atomic */
    struct {
        uint64_t key;    /* 0: free; atomic, set once */
        uint64_t window; /* 1 + the earliest window that has it; atomic */
    } found[FOUND_SLOTS];
};

struct worker {
    const struct sn_predict_options *o;
    struct shared *shared;
    struct sn_sites *sites;
    struct sn_smt *smt;
    uint64_t window; /* at work on */
    int out;
};

/* The slot of `key`, taken if it is new; null when the table is full. */
static uint64_t *found_slot(struct shared *s, uint64_t key)
{
    key = key ? key : 1;
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) % FOUND_SLOTS;
    for (uint32_t tries = 0; tries < 64; tries++, i = (i + 1) % FOUND_SLOTS) {
        uint64_t seen = __atomic_load_n(&s->found[i].key, __ATOMIC_ACQUIRE);
        if (seen == 0 && __atomic_compare_exchange_n(&s->found[i].key, &seen, key, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            seen = key;
        if (seen == key)
            return &s->found[i].window;
    }
    return NULL;
}

/* Only an earlier window counts: so the earliest one is never skipped, whoever comes first. */
static bool known(void *arg, uint64_t key)
{
    struct worker *w = arg;
    uint64_t *slot = found_slot(w->shared, key);
    uint64_t window = slot ? __atomic_load_n(slot, __ATOMIC_RELAXED) : 0;
    return window && window - 1 < w->window;
}

static void note_found(struct worker *w, uint64_t key)
{
    uint64_t *slot = found_slot(w->shared, key), mine = w->window + 1;
    uint64_t now = slot ? __atomic_load_n(slot, __ATOMIC_RELAXED) : 0;
    while (
        slot && (now == 0 || mine < now) &&
        !__atomic_compare_exchange_n(slot, &now, mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static uint32_t site_key(void *arg, uint32_t site)
{
    struct worker *w = arg;
    return sn_sites_key(w->sites, site);
}

/* What goes through a pipe. */

enum record { RECORD_PREDICTED = 1, RECORD_STATS, RECORD_FAILED };

static bool put(int fd, const void *data, size_t bytes)
{
    const char *p = data;
    while (bytes) {
        ssize_t n = write(fd, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

static void send_predicted(int fd, const struct sn_predicted *p)
{
    uint32_t kind = RECORD_PREDICTED;
    put(fd, &kind, sizeof kind);
    put(fd, p, sizeof *p);
    put(fd, p->lock, p->nlocks * sizeof *p->lock);
    put(fd, p->step, p->nsteps * sizeof *p->step);
    put(fd, p->run, p->nruns * sizeof *p->run);
}

static void send_stats(int fd, const struct sn_analyse_stats *s)
{
    uint32_t kind = RECORD_STATS;
    put(fd, &kind, sizeof kind);
    put(fd, s, sizeof *s);
}

static void analyse_window(struct worker *w, struct sn_arena *a, const struct sn_window *window,
                           struct sn_analyse_stats *stats)
{
    struct sn_analyse_options o = {.algorithm = w->o->algorithm,
                                   .limit_ms = w->o->limit_ms,
                                   .questions = w->o->questions,
                                   .deadlocks = w->o->deadlocks,
                                   .site_key = site_key,
                                   .known = known,
                                   .arg = w};
    struct sn_predictions found = {0};
    sn_analyse(a, window, &o, w->smt, &found, stats);
    for (uint32_t i = 0; i < found.n; i++) {
        struct sn_predicted p;
        note_found(w, found.p[i].key);
        sn_tell(window, w->window, &found.p[i], &p);
        send_predicted(w->out, &p);
        sn_told_free(&p);
    }
    __atomic_fetch_add(&w->shared->done, 1, __ATOMIC_RELAXED);
}

/* The next window of our part that nobody has. */
static uint64_t take_window(const struct worker *w)
{
    uint64_t n = __atomic_fetch_add(&w->shared->next, 1, __ATOMIC_RELAXED);
    return w->o->parts ? w->o->part + n * w->o->parts : n;
}

/* Reads the trace from front to back; analyses the windows that it takes on the way. */
static void work(struct worker *w, struct sn_trace *t)
{
    struct sn_arena arena = {0};
    struct sn_window window;
    struct sn_analyse_stats stats = {0};
    struct sn_stream *stream = sn_stream_new(t, w->o->window);
    sn_stream_still(stream, w->o->still, w->o->nstill);
    bool solver = w->o->algorithm == SN_MC || w->o->algorithm == SN_RDIT;
    w->sites = sn_sites_new(t);
    w->smt = solver ? sn_smt_new() : NULL;
    w->window = take_window(w);
    for (uint64_t i = 0; sn_stream_next(stream, &arena, &window) > 0; i++) {
        if (i == w->window) {
            analyse_window(w, &arena, &window, &stats);
            w->window = take_window(w);
        }
        sn_arena_free(&arena);
    }
    sn_arena_free(&arena);
    send_stats(w->out, &stats);
    sn_smt_free(w->smt);
    sn_sites_free(w->sites);
    sn_stream_free(stream);
}

static void __attribute__((noreturn)) work_alone(struct worker *w, const char *path)
{
    struct sn_trace *t;
    char *why = NULL;
    uint32_t failed = RECORD_FAILED;
    if (sn_trace_open(path, &t, &why) == 0)
        work(w, t);
    else
        put(w->out, &failed, sizeof failed);
    _exit(0);
}

/* The parent's side. */

struct reading {
    int fd;
    pid_t pid;
    bool ended; /* its statistics have come: all went well */
};

static bool get(int fd, void *data, size_t bytes)
{
    char *p = data;
    while (bytes) {
        ssize_t n = read(fd, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

static void *get_array(int fd, uint32_t n, size_t size, bool *good)
{
    void *p = sn_xcalloc(n, size);
    *good = *good && get(fd, p, n * size);
    return p;
}

static void add_stats(struct sn_analyse_stats *to, const struct sn_analyse_stats *from)
{
    to->events += from->events;
    to->pairs += from->pairs;
    to->cycles += from->cycles;
    to->by_closure += from->by_closure;
    to->by_solver += from->by_solver;
    to->refuted += from->refuted;
    to->unknown += from->unknown;
    to->skipped += from->skipped;
    to->unseen_pairs += from->unseen_pairs;
}

static bool take_predicted(int fd, struct sn_predict_result *out)
{
    struct sn_predicted p;
    bool good = get(fd, &p, sizeof p);
    if (!good)
        return false;
    p.lock = get_array(fd, p.nlocks, sizeof *p.lock, &good);
    p.step = get_array(fd, p.nsteps, sizeof *p.step, &good);
    p.run = get_array(fd, p.nruns, sizeof *p.run, &good);
    out->p = sn_xgrow(out->p, out->n, &out->cap, sizeof *out->p);
    out->p[out->n++] = p;
    return good;
}

/* One record; false at the end of the pipe. */
static bool take_record(struct reading *r, struct sn_predict_result *out)
{
    uint32_t kind;
    struct sn_analyse_stats stats;
    if (!get(r->fd, &kind, sizeof kind))
        return false;
    if (kind == RECORD_PREDICTED)
        return take_predicted(r->fd, out);
    if (kind == RECORD_STATS && get(r->fd, &stats, sizeof stats)) {
        add_stats(&out->stats, &stats);
        r->ended = true;
    }
    return r->ended;
}

static void take_all(struct reading *r, unsigned n, const struct shared *shared,
                     const struct sn_predict_options *o, struct sn_predict_result *out)
{
    struct pollfd *p = sn_xcalloc(n, sizeof *p);
    unsigned open = n;
    for (unsigned i = 0; i < n; i++)
        p[i] = (struct pollfd){.fd = r[i].fd, .events = POLLIN};
    while (open) {
        if (o->progress)
            o->progress(__atomic_load_n(&shared->done, __ATOMIC_RELAXED), out->windows);
        if (poll(p, n, 200) <= 0)
            continue;
        for (unsigned i = 0; i < n; i++) {
            if (p[i].fd < 0 || !p[i].revents || take_record(&r[i], out))
                continue;
            p[i].fd = -1;
            open--;
        }
    }
    free(p);
}

static bool start_worker(struct reading *r, unsigned at, struct worker *w, const char *path)
{
    int fds[2];
    if (pipe(fds) < 0)
        return false;
    r[at] = (struct reading){.fd = fds[0], .pid = fork()};
    if (r[at].pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody else would end it when snag is killed */
        signal(SIGPIPE, SIG_DFL);
        for (unsigned i = 0; i <= at; i++)
            close(r[i].fd);
        w->out = fds[1];
        work_alone(w, path);
    }
    close(fds[1]);
    if (r[at].pid < 0)
        close(fds[0]);
    return r[at].pid > 0;
}

static int run_workers(const char *path, const struct sn_predict_options *o, unsigned jobs,
                       struct shared *shared, struct sn_predict_result *out)
{
    struct reading *r = sn_xcalloc(jobs, sizeof *r);
    struct worker w = {.o = o, .shared = shared};
    unsigned n = 0;
    bool good = true;
    while (n < jobs && start_worker(r, n, &w, path))
        n++;
    take_all(r, n, shared, o, out);
    for (unsigned i = 0; i < n; i++) {
        int status;
        close(r[i].fd);
        while (waitpid(r[i].pid, &status, 0) < 0 && errno == EINTR)
            ;
        good &= r[i].ended;
    }
    free(r);
    return n == 0 ? -EAGAIN : good ? 0 : -EIO;
}

static int by_window(const void *a, const void *b)
{
    const struct sn_predicted *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->window > y->window) - (x->window < y->window);
}

static int by_place(const void *a, const void *b)
{
    const struct sn_predicted *x = a, *y = b;
    if (x->window != y->window)
        return x->window < y->window ? -1 : 1;
    for (uint32_t i = 0; i < SN_MAX_MEET; i++)
        if (x->meet[i].number != y->meet[i].number)
            return x->meet[i].number < y->meet[i].number ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Of each pair of sites the earliest stays; then all in the order of the trace. */
static void unite(struct sn_predict_result *out)
{
    size_t kept = 0;
    if (out->n)
        qsort(out->p, out->n, sizeof *out->p, by_window);
    for (size_t i = 0; i < out->n; i++) {
        if (kept && out->p[kept - 1].key == out->p[i].key)
            sn_told_free(&out->p[i]);
        else
            out->p[kept++] = out->p[i];
    }
    out->n = kept;
    if (out->n)
        qsort(out->p, out->n, sizeof *out->p, by_place);
}

/* What the recorder says about memory of unrecorded code (trace.h). */
static void keep_still(const struct sn_trace *t, struct sn_predict_options *o)
{
    struct sn_trace_range *still = NULL;
    for (uint32_t i = 0; i < sn_trace_names(t); i++) {
        const struct sn_trace_name *n = sn_trace_name(t, i);
        if (strcmp(n->name, SN_TRACE_UNCHANGED) != 0)
            continue;
        still = sn_xrealloc(still, o->nstill + 1, sizeof *still);
        still[o->nstill++] = (struct sn_trace_range){n->addr, n->size};
    }
    o->still = still;
}

/* Reads the trace once to know that it is sound and how long it is. */
static int look_through(const char *path, struct sn_predict_options *o,
                        struct sn_predict_result *out, char **why)
{
    struct sn_trace *t;
    struct sn_trace_event ev;
    uint64_t events = 0;
    int r = sn_trace_open(path, &t, why);
    if (r < 0)
        return r;
    while ((r = sn_trace_next(t, &ev)) > 0)
        events += ev.ev.op != SN_EV_NONE;
    if (r < 0)
        *why = sn_xformat("trace %s: %s", path, sn_trace_why(t));
    else if (sn_trace_why(t))
        out->remark = sn_xformat("trace %s: %s", path, sn_trace_why(t));
    out->windows = (events + o->window - 1) / o->window;
    keep_still(t, o);
    sn_trace_close(t);
    return r;
}

int sn_predict(const char *path, const struct sn_predict_options *wanted,
               struct sn_predict_result *out, char **why)
{
    struct sn_predict_options options = *wanted, *o = &options;
    memset(out, 0, sizeof *out);
    out->algorithm = o->algorithm;
    int r = look_through(path, o, out, why);
    if (r < 0) {
        free((void *)o->still);
        return r;
    }
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        sn_xcheck(NULL);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t jobs = o->jobs ? o->jobs : processors > 0 ? (uint64_t)processors : 1;
    if (jobs > out->windows)
        jobs = out->windows ? out->windows : 1;
    r = run_workers(path, o, (unsigned)jobs, shared, out);
    munmap(shared, sizeof *shared);
    free((void *)o->still);
    if (r < 0)
        *why = sn_xformat("a process that analysed part of %s failed (out of memory?): try a "
                          "smaller --window or fewer --jobs",
                          path);
    unite(out);
    return r;
}

void sn_predict_result_free(struct sn_predict_result *r)
{
    for (size_t i = 0; i < r->n; i++)
        sn_told_free(&r->p[i]);
    free(r->p);
    free(r->remark);
    memset(r, 0, sizeof *r);
}
