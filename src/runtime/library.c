/*
 * library.c: calls of library functions that a contract describes, for the engines that follow what
 * orders threads. What a function releases is released before it runs, what it acquires after; of a
 * function that the library calls back it is the other way round.
 *
 * A thread remembers the calls that it is in and that have something to do at their end. What a
 * longjmp has left is recognised by the next call from further up the stack.
 */
#include "runtime/library.h"

#include "runtime/emit.h"
#include "runtime/redirect.h"
#include "runtime/stub.h"

enum { IGNORE_ACCESSES = 3 };
enum { ENTERED, SAVED, GAVE }; /* indexes in struct sn_call.held */

enum { DEPTH = 32 }; /* what lies deeper is not seen by callbacks and exceptions */

static __thread struct {
    struct sn_call *call[DEPTH];
    unsigned n;
} open_calls __attribute__((tls_model("initial-exec")));

static struct sn_call *innermost(void)
{
    return open_calls.n ? open_calls.call[open_calls.n - 1] : 0;
}

static const struct sn_contract_entry *entry_of(const struct sn_call *c)
{
    return sn_contract_entry(sn_stubs[c->stub].entry);
}

static bool is_callback(const struct sn_call *c)
{
    return entry_of(c)->flags & SN_ENTRY_CALLBACK;
}

static bool is_long(const struct sn_call *c)
{
    return sn_stubs[c->stub].is_long;
}

/* ---- values ---- */

static uintptr_t operand(const struct sn_call *c, uint8_t arg)
{
    if (arg == 0)
        return 0;
    if (arg <= SN_CONTRACT_ARGS)
        return c->arg[arg - 1];
    if (arg == SN_ARG_RESULT)
        return c->rax;
    if (arg == SN_ARG_SELF)
        return sn_stubs[c->stub].target;
    const struct sn_call *outer = innermost();
    return outer ? outer->arg[arg - SN_ARG_OUTER - 1] : 0;
}

static uintptr_t value(const struct sn_call *c, uint8_t arg, bool load)
{
    uintptr_t v = operand(c, arg);
    return load && v ? *(const uintptr_t *)v : v;
}

static uintptr_t object(const struct sn_call *c, const struct sn_contract_effect *e)
{
    uint8_t arg2 = e->act == SN_ACT_WAIT || e->act == SN_ACT_ALLOC ? 0 : e->arg2;
    return sn_library_object(e, value(c, e->arg, e->load), value(c, arg2, e->load2));
}

static bool holds(const struct sn_call *c, const struct sn_contract_effect *e)
{
    uint64_t v = operand(c, e->test_arg);
    switch ((enum sn_contract_test)e->test) {
    case SN_TEST_EQ:
        return (int64_t)(int)v == e->value;
    case SN_TEST_NE:
        return e->value ? (int64_t)(int)v != e->value : v != 0;
    case SN_TEST_AND:
        return v & (uint64_t)e->value;
    case SN_TEST_NAND:
        return !(v & (uint64_t)e->value);
    default:
        return true;
    }
}

static bool asks_result(const struct sn_contract_effect *e)
{
    return e->test && e->test_arg == SN_ARG_RESULT;
}

/* ---- what is done ---- */

static void tell(struct sn_thread *t, enum sn_event_op op, uintptr_t addr, const struct sn_call *c)
{
    struct sn_event ev = {.op = (uint8_t)op, .addr = addr, .pc = c->pc};
    if (addr)
        sn_engine_event(t, &ev);
}

static struct sn_lib_lock lock_of(const struct sn_call *c, const struct sn_contract_effect *e)
{
    return (struct sn_lib_lock){
        .lock = object(c, e),
        .cond = e->act == SN_ACT_WAIT ? value(c, e->arg2, e->load2) : 0,
        .pc = c->pc,
        .how = e->how,
    };
}

/* Acquires and releases come at the two ends of a call. */
static bool acquires(const struct sn_contract_effect *e)
{
    return e->act == SN_ACT_ACQUIRE || e->act == SN_ACT_ACQUIRE_SHARED || e->act == SN_ACT_RECEIVE;
}

static bool releases(const struct sn_contract_effect *e)
{
    return e->act == SN_ACT_RELEASE || e->act == SN_ACT_RELEASE_SHARED || e->act == SN_ACT_SEND;
}

static void message(struct sn_thread *t, const struct sn_call *c,
                    const struct sn_contract_effect *e, uintptr_t addr)
{
    if (!addr)
        return;
    if (e->act == SN_ACT_SEND)
        sn_library_send(t, addr, c->pc);
    else if (e->act == SN_ACT_RECEIVE)
        sn_library_receive(t, addr, c->pc);
    else
        tell(t, acquires(e) ? SN_EV_ACQUIRE : SN_EV_RELEASE_MERGE, addr, c);
}

/* What an argument points to may not be there any more when the call returns. */
static void save(struct sn_call *c, const struct sn_contract_effect *e)
{
    if (e->load && e->arg <= SN_CONTRACT_ARGS && c->held[SAVED] < 2)
        c->saved[c->held[SAVED]++] = object(c, e);
}

static void before(struct sn_thread *t, struct sn_call *c, const struct sn_contract_effect *e)
{
    bool at_begin = is_callback(c) ? acquires(e) : releases(e);
    if (acquires(e) || releases(e)) {
        if (at_begin && holds(c, e))
            message(t, c, e, object(c, e));
        else if (!at_begin)
            save(c, e);
        return;
    }
    if (!asks_result(e) && !holds(c, e))
        return;
    struct sn_lib_lock l = lock_of(c, e);
    switch ((enum sn_contract_act)e->act) {
    case SN_ACT_LOCK:
        sn_lib_locks(t, &l);
        break;
    case SN_ACT_UNLOCK:
        sn_lib_unlocks(t, &l);
        break;
    case SN_ACT_WAIT:
        c->held[GAVE] = sn_lib_waits(t, &l);
        break;
    case SN_ACT_SIGNAL:
        tell(t, SN_EV_COND_SIGNAL, l.lock, c);
        break;
    case SN_ACT_SYNC:
        tell(t, SN_EV_RELEASE_MERGE, l.lock, c);
        break;
    case SN_ACT_DROP:
        if (l.lock)
            sn_library_drop_begin(t, l.lock, c->pc);
        break;
    case SN_ACT_RESET:
        if (l.lock)
            sn_sync_drop(l.lock);
        break;
    case SN_ACT_FREE:
        tell(t, SN_EV_FREE, l.lock, c);
        break;
    default:
        break;
    }
}

/* unwound: nothing is returned. */
static void after(struct sn_thread *t, struct sn_call *c, const struct sn_contract_effect *e,
                  bool unwound)
{
    bool at_end = is_callback(c) ? releases(e) : acquires(e);
    bool done = (asks_result(e) && unwound) ? false : holds(c, e);
    if (at_end) {
        bool was_saved = e->load && e->arg <= SN_CONTRACT_ARGS && c->held[SAVED];
        uintptr_t addr = was_saved ? c->saved[--c->held[SAVED]] : object(c, e);
        if (done && !(unwound && e->arg == SN_ARG_RESULT))
            message(t, c, e, addr);
        return;
    }
    struct sn_lib_lock l = lock_of(c, e);
    if (e->act == SN_ACT_LOCK && !done)
        sn_lib_not_locked();
    else if (e->act == SN_ACT_LOCK)
        sn_lib_locked(t, &l);
    else if (e->act == SN_ACT_UNLOCK && done)
        sn_lib_unlocked(t, &l);
    else if (e->act == SN_ACT_WAIT)
        sn_lib_waited(t, &l, (uint8_t)c->held[GAVE]);
    else if (e->act == SN_ACT_SYNC && done)
        tell(t, SN_EV_ACQUIRE, l.lock, c);
    else if (e->act == SN_ACT_DROP && l.lock)
        sn_library_drop_end(t, l.lock);
    else if (e->act == SN_ACT_ALLOC && c->rax && !unwound)
        SN_EMIT(t, ALLOC, .addr = c->rax, .size = value(c, e->arg2, false), .pc = c->pc);
}

/* What the program's own code does inside is not looked at. */
static bool is_quiet(const struct sn_contract_entry *e)
{
    bool quiet = false;
    for (uint32_t i = 0; i < e->neffects; i++)
        quiet |= (sn_contract_effect(e->first_effect + i)->how & SN_HOW_QUIET) != 0;
    return quiet;
}

static void give_callbacks(struct sn_call *c, const struct sn_contract_entry *e)
{
    for (uint32_t i = 0; i < e->neffects; i++) {
        const struct sn_contract_effect *f = sn_contract_effect(e->first_effect + i);
        if (f->act == SN_ACT_CALLBACK && holds(c, f))
            sn_library_callback(c, f);
        else if (f->act == SN_ACT_METHOD && holds(c, f))
            sn_library_method(c, f);
    }
}

static bool is_on_stack(const struct sn_thread *t, const void *p)
{
    return (uintptr_t)p - t->stack_low < t->stack_high - t->stack_low;
}

static void open_call(const struct sn_thread *t, struct sn_call *c)
{
    while (open_calls.n && innermost() < c && is_on_stack(t, innermost()) && is_on_stack(t, c))
        open_calls.n--;
    if (open_calls.n < DEPTH)
        open_calls.call[open_calls.n++] = c;
}

static void close_call(const struct sn_call *c)
{
    unsigned i = open_calls.n;
    while (i && open_calls.call[i - 1] != c)
        i--;
    open_calls.n = i ? i - 1 : open_calls.n;
}

/* ---- the call ---- */

/* Before the vector registers are saved. */
__attribute__((target("general-regs-only"))) int sn_library_fast(struct sn_call *c)
{
    c->held[ENTERED] = c->held[SAVED] = 0;
    return 1;
}

void sn_library_enter(struct sn_call *c, int action)
{
    const struct sn_contract_entry *e = entry_of(c);
    struct sn_thread *t = sn_enter(c->pc);
    (void)action;
    if (!t)
        return;
    if (e->flags & SN_ENTRY_METHOD)
        sn_library_method_called(c);
    for (uint32_t i = 0; i < e->neffects; i++)
        before(t, c, sn_contract_effect(e->first_effect + i));
    give_callbacks(c, e);
    if (is_long(c)) {
        c->held[ENTERED] = 1;
        open_call(t, c);
        if (is_quiet(e))
            SN_EMIT(t, IGNORE, .value = IGNORE_ACCESSES, .pc = c->pc);
    }
    sn_hook_leave(t);
}

static void leave(struct sn_call *c, bool unwound)
{
    const struct sn_contract_entry *e = entry_of(c);
    if (!c->held[ENTERED])
        return;
    close_call(c);
    struct sn_thread *t = sn_enter(c->pc);
    if (!t)
        return;
    if (is_quiet(e))
        SN_EMIT(t, WATCH, .value = IGNORE_ACCESSES, .pc = c->pc);
    for (uint32_t i = e->neffects; i > 0; i--)
        after(t, c, sn_contract_effect(e->first_effect + i - 1), unwound);
    sn_hook_leave(t);
}

void sn_library_frees(struct sn_thread *t)
{
    for (unsigned n = open_calls.n; n-- > 0;) {
        const struct sn_call *c = open_calls.call[n];
        const struct sn_contract_entry *e = entry_of(c);
        for (uint32_t i = 0; i < e->neffects; i++) {
            const struct sn_contract_effect *f = sn_contract_effect(e->first_effect + i);
            if (f->act == SN_ACT_DROP)
                tell(t, SN_EV_ACQUIRE, lock_of(c, f).lock, c);
        }
    }
}

void sn_library_leave(struct sn_call *c)
{
    leave(c, false);
}

void sn_library_unwound(void)
{
    struct sn_call *c = innermost();
    if (c)
        leave(c, true);
}
