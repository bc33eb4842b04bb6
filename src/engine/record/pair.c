/*
 * pair.c: BarrierPairs (section 4.2 of the thesis): LEAVE_CODE before a call into code that is not
 * recorded, with what the call can reach; ENTER_CODE when it is over.
 *
 * A pair is over when its thread does something in recorded code at the depth of the caller, or
 * less deep. Callbacks are deeper: they push frames of their own, and interrupt the pair. What the
 * caller calls next is as deep, but comes from recorded code: sn_pair_func_entry() tells the two
 * apart.
 *
 * D: the objects that arguments point into and what those reach (graph.c); the variables of the
 * callee's own module, which is how two calls into one library can meet; and the globals that the
 * program named by SNAG_GLOBAL(). At the end the trace says which modules' variables never
 * changed: nothing can have been told by them.
 */
#include "record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "calls.h"
#include "core/count.h"
#include "core/ctx_cache.h"
#include "core/options.h"
#include "core/stop.h"
#include "core/sys.h"
#include "graph.h"
#include "objects.h"
#include "runtime/instrumented.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

enum { MAX_EXCLUDED = 4096, MAX_ROOTS = 4096, MAX_NAMED = 256 };
enum { PAIRS_NONE, PAIRS_GRAPH, PAIRS_WHOLE }; /* sn_opt.pairs */

uint32_t sn_exclude_any;

static struct sn_excluded excluded[MAX_EXCLUDED];
static uint32_t nexcluded;

static struct sn_trace_range named[MAX_NAMED];
static uint32_t nnamed; /* atomic */

enum { IS_EXCLUDED = 1, IS_UNPATCHED = 2 }; /* what is known of a position in code */

static unsigned look_among_excluded(uintptr_t pc)
{
    for (uint32_t i = 0; i < nexcluded; i++)
        if (pc - excluded[i].low < excluded[i].high - excluded[i].low)
            return excluded[i].patched ? IS_EXCLUDED : IS_EXCLUDED | IS_UNPATCHED;
    return 0;
}

/* Every access asks, from the same positions again and again. */
static unsigned excluded_at(uintptr_t pc)
{
    static uint64_t known[1 << 12]; /* pc << 2 | answer; atomic */
    uint64_t *k = &known[(pc ^ pc >> 12) & 0xfff], now = __atomic_load_n(k, __ATOMIC_RELAXED);
    if (SN_UNLIKELY(now >> 2 != pc)) {
        now = (uint64_t)pc << 2 | look_among_excluded(pc);
        __atomic_store_n(k, now, __ATOMIC_RELAXED);
    }
    return now & 3;
}

bool sn_exclude_has(uintptr_t pc)
{
    return excluded_at(pc) & IS_EXCLUDED;
}

struct sn_excluded *sn_exclude_find(uintptr_t entry)
{
    for (uint32_t i = 0; i < nexcluded; i++)
        if (excluded[i].low == entry)
            return &excluded[i];
    return 0;
}

bool sn_pair_is_recorded(uintptr_t pc)
{
    return sn_instrumented(pc) && !(sn_exclude_any && sn_exclude_has(pc));
}

/* D. */

struct reach {
    struct sn_trace_range range[MAX_ROOTS];
    uint32_t n;
};

static void add_object(struct reach *d, const struct sn_object_at *o)
{
    if (d->n == UINT32_MAX)
        return;
    if (sn_opt.pairs == PAIRS_WHOLE) {
        d->n = sn_graph_all(o, d->range, d->n, MAX_ROOTS);
        return;
    }
    sn_graph_reach(o);
    if (d->n < MAX_ROOTS)
        d->range[d->n++] = (struct sn_trace_range){o->addr, o->size};
}

static void add_pointer(struct reach *d, uintptr_t p)
{
    struct sn_object_at o;
    if (SN_UNLIKELY(sn_opt.pairs == PAIRS_WHOLE)) {
        if (sn_objects_at(p, &o))
            add_object(d, &o);
        return;
    }
    struct sn_trace_range *r = &d->range[d->n];
    if (!sn_graph_root(p, r))
        return;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->range[i].addr == r->addr && d->range[i].size == r->size)
            return;
    d->n++;
}

/* The segments of the callee's own variables: those of a module stand together. */
static struct callee {
    uintptr_t function; /* 0: free */
    uint32_t first, n;
} callees[256];

void sn_pair_forget_modules(void)
{
    memset(callees, 0, sizeof callees);
    sn_graph_forget_hints();
}

static SN_NOINLINE void look_for_segments(struct callee *c, uintptr_t function)
{
    struct sn_segment *s;
    *c = (struct callee){.function = function};
    for (uint32_t i = 0, n = sn_objects_segments(&s); i < n && !sn_instrumented(function); i++)
        if (function - s[i].code_low < s[i].code_high - s[i].code_low && !s[i].quiet) {
            c->first = c->n ? c->first : i;
            c->n = i + 1 - c->first;
        }
}

/* The callee's own variables. What a call has done to them the next one sees. */
static void add_module(struct reach *d, uintptr_t callee)
{
    struct callee *c = &callees[(callee >> 4 ^ callee >> 12) % (sizeof callees / sizeof *callees)];
    struct sn_segment *s;
    if (SN_UNLIKELY(c->function != callee))
        look_for_segments(c, callee);
    sn_objects_segments(&s);
    for (uint32_t i = c->first; i < c->first + c->n; i++) {
        sn_segment_look(&s[i]);
        add_object(d, &(struct sn_object_at){SN_AT_GLOBAL, s[i].low, s[i].high - s[i].low, 0});
    }
}

void sn_pair_tell_unchanged(void)
{
    struct sn_segment *s;
    for (uint32_t i = 0, n = sn_objects_segments(&s); i < n; i++) {
        if (s[i].watched)
            sn_segment_look(&s[i]);
        if (s[i].watched && !s[i].changed)
            sn_file_name(s[i].low, s[i].high - s[i].low, SN_TRACE_UNCHANGED);
    }
}

static void compute(struct reach *d, const uint64_t *args, unsigned nargs)
{
    d->n = 0;
    sn_graph_next();
    for (unsigned i = 0; i < nargs; i++)
        add_pointer(d, args[i]);
    for (uint32_t i = 0, n = __atomic_load_n(&nnamed, __ATOMIC_ACQUIRE); i < n; i++)
        add_object(d, &(struct sn_object_at){SN_AT_GLOBAL, named[i].addr, named[i].size, 0});
}

/* Pairs. */

static void leave(struct sn_thread *t, const struct sn_rec_pair *p, const struct reach *d)
{
    static const struct sn_trace_range everything = {0, UINT64_MAX};
    bool all = d->n == UINT32_MAX;
    struct sn_trace_event ev = {.ev = {.op = SN_EV_LEAVE_CODE, .value = p->callee},
                                .thread = t->number,
                                .site = p->site,
                                .nranges = all ? 1 : d->n,
                                .ranges = all ? &everything : d->range};
    if (!all && sn_opt.pairs == PAIRS_GRAPH)
        ev.flags = SN_TRACE_ROOTS;
    sn_file_event(&ev);
    sn_count(PAIRS);
}

static void enter(struct sn_thread *t, const struct sn_rec_pair *p)
{
    if (SN_LIKELY(sn_file_back(t->number, p->site, p->callee)))
        return;
    struct sn_trace_event ev = {
        .ev = {.op = SN_EV_ENTER_CODE, .value = p->callee}, .thread = t->number, .site = p->site};
    sn_file_event(&ev);
}

/* False: it can reach nothing. */
static bool go_in(struct sn_thread *t, const struct sn_rec_pair *p)
{
    static struct reach d; /* the holder's */
    if (p->reach == SN_REACH_ALL)
        d.n = UINT32_MAX;
    else
        compute(&d, p->arg, p->nargs);
    if (p->reach == SN_REACH_MODULE)
        add_module(&d, p->callee);
    if (d.n)
        leave(t, p, &d);
    return d.n != 0;
}

static bool has_room(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    if (SN_UNLIKELY(!r->marked)) {
        sn_objects_stack(t);
        r->marked = 1;
    }
    if (SN_UNLIKELY(!r->pair))
        r->pair = sn_map(SN_REC_PAIRS * sizeof *r->pair);
    if (SN_LIKELY(r->pair && r->npairs < SN_REC_PAIRS))
        return true;
    sn_count(LOST_PAIR);
    return false;
}

void sn_pair_begin(struct sn_thread *t, uintptr_t callee, uintptr_t pc, const uint64_t *args,
                   unsigned nargs, enum sn_reach reach)
{
    struct sn_recorded *r = sn_rec_of(t);
    if (sn_opt.pairs == PAIRS_NONE || !has_room(t))
        return;
    struct sn_rec_pair *p = &r->pair[r->npairs];
    p->depth = (uint32_t)(t->sp - t->frames);
    p->back_at = 0;
    p->site = sn_file_here(t, pc);
    p->reach = reach;
    p->callee = callee;
    p->nargs = nargs;
    for (unsigned i = 0; i < nargs; i++)
        p->arg[i] = args[i];
    if (!go_in(t, p))
        return;
    r->npairs++;
    r->back_at = 0;
}

/* After the innermost pair has ended, or gone on. */
static void look_at_last(struct sn_recorded *r)
{
    r->back_at = r->npairs ? r->pair[r->npairs - 1].back_at : 0;
    r->return_at = r->back_at;
    for (uint32_t i = r->npairs; i > 1 && !r->return_at; i--)
        r->return_at = r->pair[i - 2].back_at;
}

/* One whose callback has not returned did nothing any more: it was left by longjmp or an exception.
 */
static void end_last(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    const struct sn_rec_pair *p = &r->pair[--r->npairs];
    if (!p->back_at)
        enter(t, p);
    look_at_last(r);
}

/*
 * Callbacks. While a recorded function runs that unrecorded code has called, this thread does
 * nothing unseen: the pair ends there and begins again when the function returns.
 */
static void call_back(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    struct sn_rec_pair *p = &r->pair[r->npairs - 1];
    enter(t, p);
    r->return_at = r->back_at = p->back_at = 1 + (uint32_t)(t->sp - t->frames);
}

static void go_back(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    struct sn_rec_pair *p = &r->pair[r->npairs - 1];
    p->back_at = 0;
    if (!go_in(t, p)) /* what it could reach is gone */
        r->npairs--;
    look_at_last(r);
}

static bool can_tell(const struct sn_thread *t, const struct sn_recorded *r)
{
    return sn_file_live && !t->busy && !t->in_hook && !r->queued;
}

/* Calls that the callback made last are over too. */
SN_NOINLINE void sn_pair_go_back(struct sn_thread *t)
{
    const struct sn_recorded *r = sn_rec_of(t);
    uint32_t depth = (uint32_t)(t->sp - t->frames);
    if (!can_tell(t, r))
        return;
    sn_busy_enter(t);
    sn_order_take(t);
    sn_write_settle(t);
    while (r->npairs && r->pair[r->npairs - 1].depth > depth)
        end_last(t);
    if (r->npairs && r->back_at)
        go_back(t);
    sn_busy_leave(t);
}

/* The start routine's pair has depth 0 and no caller: it ends with the thread. */
static bool is_start(const struct sn_recorded *r)
{
    return r->npairs == 1 && r->has_start;
}

void sn_pair_settle(struct sn_thread *t, uintptr_t pc)
{
    struct sn_recorded *r = sn_rec_of(t);
    uint32_t depth = (uint32_t)(t->sp - t->frames), before = r->npairs;
    while (r->npairs && !is_start(r)) {
        uint32_t at = r->pair[r->npairs - 1].depth;
        if (depth > at || (depth == at && !(pc && sn_pair_is_recorded(pc))))
            break;
        end_last(t);
    }
    if (r->npairs < before)
        sn_order_after_call(t);
}

/* A start routine that has called back goes on to the end. */
void sn_pair_end_all(struct sn_thread *t)
{
    struct sn_recorded *r = sn_rec_of(t);
    while (r->npairs) {
        if (is_start(r) && r->back_at)
            go_back(t);
        if (r->npairs)
            end_last(t);
    }
}

/* The baton is needed only when a pair ends or begins. Until the thread is busy a signal handler
 * may have ended pairs. */
static void entered(struct sn_thread *t, uintptr_t caller, bool is_callback, bool hidden)
{
    const struct sn_recorded *r = sn_rec_of(t);
    sn_busy_enter(t);
    sn_order_take(t);
    sn_write_settle(t);
    if (is_callback && r->npairs && !r->back_at)
        call_back(t);
    else if (!is_callback)
        sn_pair_settle(t, caller);
    if (hidden)
        sn_pair_begin(t, caller, caller, 0, 0, SN_REACH_ALL);
    sn_busy_leave(t);
}

void sn_pair_func_entry(uintptr_t caller, uintptr_t rsp, uintptr_t rbp, uintptr_t self)
{
    struct sn_thread *t = sn_self;
    struct sn_recorded *r = sn_rec_of(t);
    unsigned what = sn_exclude_any ? excluded_at(self) : 0;
    /* An excluded function whose entry could not be patched reaches everything. */
    bool hidden = what & IS_UNPATCHED && sn_pair_is_recorded(caller), over = false, back = false;
    uint32_t n = __atomic_load_n(&r->npairs, __ATOMIC_RELAXED); /* see entered() */
    if (n && !(what & IS_EXCLUDED)) {
        bool recorded = sn_pair_is_recorded(caller);
        back = !recorded && !r->back_at;
        over = recorded && (uint32_t)(t->sp - t->frames) <= r->pair[n - 1].depth;
    }
    if ((over || back || hidden) && can_tell(t, r))
        entered(t, caller, back, hidden);
    sn_call_push(t, caller, rsp, rbp);
}

/* SNAG_GLOBAL(x). */
void __snag_global(const volatile void *p, size_t size);
SN_EXPORT void __snag_global(const volatile void *p, size_t size)
{
    struct sn_thread *t = sn_self;
    if (!t || !sn_file_live || !size)
        return;
    for (uint32_t i = 0; i < nnamed; i++)
        if (named[i].addr == (uintptr_t)p)
            return;
    uint32_t i = __atomic_load_n(&nnamed, __ATOMIC_RELAXED);
    if (i < MAX_NAMED) {
        named[i] = (struct sn_trace_range){(uintptr_t)p, size};
        __atomic_store_n(&nnamed, i + 1, __ATOMIC_RELEASE);
    }
}

/* RUN_DIR/objects: lines of words:
 *     g MODULE OFFSET SIZE      a global
 *     x MODULE OFFSET SIZE NAME an excluded function
 *     f NAME MASK               arguments of a function that may be pointers; all hexadecimal
 */

static const char *word(const char *p, const char *end, const char **from, size_t *n)
{
    while (p < end && *p == ' ')
        p++;
    *from = p;
    while (p < end && *p != ' ' && *p != '\n')
        p++;
    *n = (size_t)(p - *from);
    return p;
}

static uint64_t number(const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v * 16 + (uint64_t)(p[i] <= '9' ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
    return v;
}

static void add_excluded(uintptr_t addr, uint64_t size, uint64_t name)
{
    if (nexcluded == MAX_EXCLUDED) {
        sn_count(LOST_PAIR);
        return;
    }
    excluded[nexcluded].low = addr;
    excluded[nexcluded].name = name;
    excluded[nexcluded++].high = addr + size;
    sn_exclude_any = 1;
}

static void read_line(const char *p, const char *end)
{
    enum { WORDS = 5 };
    const char *w[WORDS];
    size_t n[WORDS];
    char module[256];
    for (int i = 0; i < WORDS; i++)
        p = word(p, end, &w[i], &n[i]);
    if (*w[0] == 'f') {
        sn_calls_prototype(w[1], n[1], (uint32_t)number(w[2], n[2]));
        return;
    }
    if (n[1] >= sizeof module)
        return;
    memcpy(module, w[1], n[1]);
    module[n[1]] = 0;
    uintptr_t addr = sn_modules_address(module, number(w[2], n[2]));
    uint64_t size = number(w[3], n[3]);
    if (addr && *w[0] == 'g')
        sn_objects_global(addr, size);
    else if (addr && *w[0] == 'x')
        add_excluded(addr, size, sn_calls_hash(w[4], n[4]));
}

static void read_objects(void)
{
    char path[4096 + 16];
    struct stat st;
    size_t n = strlen(sn_sink_dir());
    if (n > 4096)
        return;
    memcpy(path, sn_sink_dir(), n);
    memcpy(path + n, "/objects", sizeof "/objects");
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), p = -1;
    if (fd < 0)
        return;
    if (sn_sys2(SYS_fstat, fd, &st) == 0 && st.st_size > 0)
        p = sn_sys6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    sn_sys1(SYS_close, fd);
    if ((unsigned long)p >= (unsigned long)-4095)
        return;
    const char *at = (const char *)p, *end = at + st.st_size;
    while (at < end) {
        const char *line = at;
        while (at < end && *at != '\n')
            at++;
        read_line(line, at++);
    }
    sn_sys2(SYS_munmap, p, st.st_size);
}

void sn_pair_init(void)
{
    sn_modules_refresh();
    sn_objects_look_at_modules();
    sn_objects_take_modules();
    read_objects();
    sn_objects_sort();
    if (sn_opt.pairs == PAIRS_NONE)
        return;
    sn_calls_init();
}
