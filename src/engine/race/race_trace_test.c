/*
 * race_trace_test.c: the engine over the text traces of tests/trace: what happened in that order
 * and was not ordered by happens-before is a race, at the very pair of sites that the trace names
 * for `hb`. Threads are records that take turns on this one.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "access.h"
#include "alone.h"
#include "atomic_path.h"
#include "clock.h"
#include "core/benign.h"
#include "core/engine.h"
#include "race.h"
#include "trace/text.h"
#include "trace/trace.h"
#include "word.h"

enum { THREADS = 16, ARENA = 1 << 20, MAX_TRACES = 256, MAX_PAIRS = 64, SITE_PC = 0x100000 };

struct pair {
    char text[256]; /* "a.c:3 b.c:9", sorted */
};

static struct pairs {
    struct pair pair[MAX_PAIRS];
    int n;
} got, wanted;

static struct sn_trace *trace;
static struct sn_thread *threads[THREADS];
static char *arena; /* of this trace; another one's are never the same bytes */

static void add(struct pairs *to, const char *a, const char *b)
{
    struct pair p;
    bool in_order = strcmp(a, b) <= 0;
    snprintf(p.text, sizeof p.text, "%.120s %.120s", in_order ? a : b, in_order ? b : a);
    for (int i = 0; i < to->n; i++)
        if (!strcmp(to->pair[i].text, p.text))
            return;
    assert_true(to->n < MAX_PAIRS);
    to->pair[to->n++] = p;
}

static const char *site_name(uint32_t where)
{
    static char name[2][256];
    static int turn;
    uint32_t site = (uint32_t)((sn_ctx_pc(where) - SITE_PC) / 16);
    return sn_trace_print_site(trace, site, false, name[turn++ & 1], sizeof name[0]);
}

void sn_race_report(struct sn_thread *t, uintptr_t addr, uint64_t me, unsigned kind,
                    const struct sn_conflicts *with)
{
    (void)t, (void)kind;
    for (unsigned i = 0; i < with->n; i++) {
        unsigned common = sn_word_mask(me) & sn_word_mask(with->word[i]);
        for (unsigned byte = 0; byte < 8; byte++)
            if (common >> byte & 1 && !sn_benign_has(addr + byte))
                add(&got, site_name(sn_ctx_for_byte(sn_word_where(me), byte)),
                    site_name(sn_ctx_for_byte(sn_word_where(with->word[i]), byte)));
    }
}

/* ---- the trace as the runtime would tell it ---- */

static uintptr_t place(uint64_t addr)
{
    return (uintptr_t)arena + addr % (ARENA - 4096);
}

static void become(uint32_t thread)
{
    assert_true(thread < THREADS);
    if (!threads[thread]) { /* the trace begins in its midst */
        threads[thread] = sn_thread_new(threads[0], 0);
        threads[thread]->state = SN_T_RUNNING;
    }
    sn_self = threads[thread];
    sn_race_hot.epoch = sn_race_of(sn_self)->epoch;
    sn_race_hot.self = sn_self;
    sn_race_hot.sets = sn_race_of(sn_self)->sets;
}

static void tell(const struct sn_event *from, uint64_t value, enum sn_sync_kind kind, uintptr_t pc)
{
    struct sn_event ev = *from;
    ev.addr = from->addr ? place(from->addr) : 0;
    ev.value = value;
    ev.pc = pc;
    ev.sync = kind == SN_SYNC_ANY ? NULL : sn_sync_get(ev.addr, kind);
    sn_engine_event(sn_self, &ev);
}

static void create(const struct sn_event *ev, uintptr_t pc)
{
    uint32_t child = (uint32_t)ev->value;
    assert_true(child < THREADS && !threads[child]);
    threads[child] = sn_thread_new(sn_self, 0);
    threads[child]->state = SN_T_RUNNING;
    tell(ev, threads[child]->number, SN_SYNC_ANY, pc);
}

static void replay_access(const struct sn_event *ev, uintptr_t pc)
{
    uintptr_t p = place(ev->addr);
    if (ev->op == SN_EV_READ) {
        sn_access_read_range(p, ev->size, pc);
    } else if (ev->op == SN_EV_WRITE) {
        sn_access_write_range(p, ev->size, pc);
    } else {
        struct sn_atomic_scope s;
        sn_atomic_enter(&s, p, (unsigned)ev->size, (enum sn_event_op)ev->op, ev->order, pc);
        while (!sn_atomic_leave(&s, 1, ev->order))
            ;
    }
}

static void replay_event(const struct sn_trace_event *e)
{
    const struct sn_event *ev = &e->ev;
    uintptr_t pc = SITE_PC + 16 * (uintptr_t)e->site;
    become(e->thread);
    if (sn_trace_is_access((enum sn_event_op)ev->op)) {
        replay_access(ev, pc);
        return;
    }
    switch (ev->op) {
    case SN_EV_FENCE:
        sn_atomic_fence(ev->order, pc);
        break;
    case SN_EV_CREATE:
        create(ev, pc);
        break;
    case SN_EV_START:
    case SN_EV_JOIN:
        become((uint32_t)ev->value);
        become(e->thread);
        tell(ev, threads[ev->value]->number, SN_SYNC_ANY, pc);
        break;
    case SN_EV_LOCK:
    case SN_EV_UNLOCK:
    case SN_EV_RDLOCK:
    case SN_EV_RDUNLOCK:
        tell(ev, 0, SN_SYNC_RWLOCK, pc);
        break;
    case SN_EV_NONE:
    case SN_EV_LEAVE_CODE:
    case SN_EV_ENTER_CODE:
        break;
    default:
        tell(ev, ev->value, SN_SYNC_ANY, pc);
    }
}

static void read_expectation(const char *line)
{
    char whom[64] = "", a[128], b[128];
    if (sscanf(line, "expect: race %127s %127s", a, b) == 2)
        add(&wanted, a, b);
    else if (sscanf(line, "expect[%63[a-z,]]: race %127s %127s", whom, a, b) == 3 &&
             (strstr(whom, "hb")))
        add(&wanted, a, b);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct pair *)a)->text, ((const struct pair *)b)->text);
}

static int same(const char *name)
{
    qsort(got.pair, (size_t)got.n, sizeof *got.pair, compare);
    qsort(wanted.pair, (size_t)wanted.n, sizeof *wanted.pair, compare);
    bool equal = got.n == wanted.n;
    for (int i = 0; equal && i < got.n; i++)
        equal = !strcmp(got.pair[i].text, wanted.pair[i].text);
    if (equal)
        return 0;
    for (int i = 0; i < got.n; i++)
        fprintf(stderr, "%s: got %s\n", name, got.pair[i].text);
    for (int i = 0; i < wanted.n; i++)
        fprintf(stderr, "%s: wanted %s\n", name, wanted.pair[i].text);
    return 1;
}

static void end_threads(void)
{
    for (int i = THREADS; i-- > 0;) {
        if (threads[i]) {
            threads[i]->nheld = 0;
            threads[i]->let_go = 1;
            sn_thread_release(threads[i]);
        }
        threads[i] = NULL;
    }
    sn_self = NULL;
}

static int replay(const char *path, const char *name)
{
    struct sn_trace_event e;
    char *why = NULL;
    int r;
    got.n = wanted.n = 0;
    arena += ARENA;
    assert_int_equal(sn_trace_open(path, &trace, &why), 0);
    threads[0] = sn_thread_new(NULL, 0);
    threads[0]->state = SN_T_RUNNING;
    while ((r = sn_trace_next(trace, &e)) == 1)
        replay_event(&e);
    assert_int_equal(r, 0);
    for (uint32_t i = 0; i < sn_trace_expects(trace); i++)
        read_expectation(sn_trace_expect(trace, i));
    end_threads();
    int wrong = same(name);
    sn_trace_close(trace);
    return wrong;
}

/* Calls into what is not instrumented mean nothing to the engine, and a window is predict's. */
static int is_a_trace(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 6 && !strcmp(e->d_name + n - 6, ".trace") && strncmp(e->d_name, "rdit-", 5) &&
           strncmp(e->d_name, "window-", 7);
}

static void text_traces(void **state)
{
    (void)state;
    static const char folder[] = SNAG_SOURCE_DIR "/tests/trace";
    struct dirent **names;
    int n = scandir(folder, &names, is_a_trace, alphasort), wrong = 0;
    assert_true(n > 20 && n < MAX_TRACES);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        wrong += replay(path, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
    (void)state;
    arena = aligned_alloc(4096, (size_t)MAX_TRACES * ARENA);
    sn_thread_on_new = sn_engine_thread_new;
    sn_thread_on_gone = sn_engine_thread_gone;
    sn_engine_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_traces),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
