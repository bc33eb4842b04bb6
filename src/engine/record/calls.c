/*
 * calls.c: calls from recorded code into code that is not. Calls into other modules go through
 * slots (JUMP_SLOT, GLOB_DAT, and pointers in data): those of instrumented modules are set to stubs
 * (runtime/redirect.h) when they lead into a module that is not instrumented, and not into snag.
 * What dlsym finds there is a stub too. An excluded function of an instrumented module begins with
 * room for a jump (runtime/own_function.h); it becomes a jump to a stub, which goes on behind the
 * room.
 *
 * Modules that come by dlopen are met at the next dlsym, or at the next call from a new place. The
 * loader's lock is never waited for with the order in hand: a constructor may want the order.
 *
 * Nothing is done at the return: the first event of the caller after it ends the pair (pair.c), so
 * exceptions, longjmp and tail calls need no care.
 */
#include "calls.h"

#include <string.h>

#include "core/count.h"
#include "core/ctx_cache.h"
#include "core/engine.h"
#include "core/spin.h"
#include "core/stop.h"
#include "core/sys.h"
#include "objects.h"
#include "record.h"
#include "runtime/elf_module.h"
#include "runtime/hook.h"
#include "runtime/instrumented.h"
#include "runtime/library.h"
#include "runtime/own_function.h"
#include "runtime/redirect.h"
#include "runtime/stub.h"

enum { MAX_MODULES = 1024, MAX_PROTOTYPES = 1 << 14, ALL_ARGUMENTS = 0x3f, MAX_NAMES = 4096 };
enum { ARGUMENTS_ONLY = 0x40 }; /* with the mask, as a stub's entry number: no module's variables */

/* What may be a pointer among the arguments, by the hash of the function's name. */
static struct {
    uint64_t hash; /* 0: free */
    uint32_t mask;
} prototypes[MAX_PROTOTYPES];

static struct sn_elf loaded[MAX_MODULES];
static uint32_t nloaded;
static uintptr_t done[MAX_MODULES]; /* bases of the modules whose slots are set */
static uint32_t ndone, busy;
static unsigned long long seen_adds, seen_subs;

/* What was found without the order, to be told with it; under `busy`. */
static struct {
    uintptr_t function;
    const char *name;
} found_names[MAX_NAMES];
static uint32_t nfound_names;

uint64_t sn_calls_hash(const char *name, uint64_t length)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (uint64_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3ull;
    return h | 1;
}

static uint32_t prototype_slot(uint64_t hash)
{
    uint32_t i = (uint32_t)(hash >> 20) % MAX_PROTOTYPES, looked = 0;
    while (prototypes[i].hash && prototypes[i].hash != hash && looked++ < MAX_PROTOTYPES)
        i = (i + 1) % MAX_PROTOTYPES;
    return i;
}

void sn_calls_prototype(const char *name, uint64_t length, uint32_t mask)
{
    static uint32_t n;
    uint64_t hash = sn_calls_hash(name, length);
    uint32_t i = prototype_slot(hash);
    if (!prototypes[i].hash && ++n > MAX_PROTOTYPES / 2)
        return;
    prototypes[i].mask = prototypes[i].hash ? prototypes[i].mask | mask : mask;
    prototypes[i].hash = hash;
}

static uint32_t mask_of(uint64_t name_hash)
{
    uint32_t i = prototype_slot(name_hash);
    return prototypes[i].hash ? prototypes[i].mask : ALL_ARGUMENTS;
}

/* Calls of a stub that begin with giving the order away: it was lost in one of them. */
static uint8_t gives[SN_MAX_STUBS];

void sn_order_long_call(uint32_t callee)
{
    enum { CALLS = 64 };
    gives[callee] = CALLS;
}

/* The thread goes into code that is not recorded. What that takes is known only afterwards: the
 * order is kept, and lost to whoever wants it if it takes long (order.c). */
static void go_away(struct sn_thread *t, uint32_t stub)
{
    struct sn_recorded *r = sn_rec_of(t);
    if (SN_UNLIKELY(gives[stub])) {
        gives[stub]--;
        sn_order_give(t);
    }
    r->away_in = stub;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&r->away, r->hooks, __ATOMIC_RELAXED);
}

static void leave_quickly(struct sn_thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The thread is busy, and is not afterwards. */
static void called(struct sn_call *c, struct sn_thread *t)
{
    const struct sn_stub *s = &sn_stubs[c->stub];
    uintptr_t pc = sn_call_site(c);
    uint64_t args[6];
    unsigned n = 0;
    for (unsigned i = 0; i < 6; i++)
        if (s->entry >> i & 1)
            args[n++] = c->arg[i];
    sn_order_take(t);
    sn_write_settle(t);
    if (sn_rec_of(t)->npairs)
        sn_pair_settle(t, pc);
    sn_pair_begin(t, s->target, pc, args, n,
                  s->entry & ARGUMENTS_ONLY ? SN_REACH_ARGUMENTS : SN_REACH_MODULE);
    go_away(t, (uint32_t)c->stub);
    leave_quickly(t);
}

/*
 * The fast half does all of it when nothing has to be asked of libc: where the call is from, and
 * its site, are known. This file and what it calls are compiled without vector registers
 * (flags.cmake). A signal that was put off runs the program's code: in the slow half.
 */
enum { DONE, BEGIN, SIGNAL };

static bool is_of_interest(struct sn_thread *t)
{
    return t && sn_ready && sn_file_live && !t->in_hook && !t->busy && !sn_rec_of(t)->queued;
}

static bool is_known(struct sn_thread *t, uintptr_t pc)
{
    uint32_t ctx = t->sp > t->frames ? t->sp[-1].ctx : 0;
    const struct sn_ctx_entry *e = sn_ctx_slot(t, ctx, pc);
    return ctx && e->pc == pc && e->parent == ctx && sn_file_knows(e->node) &&
           sn_last_age == sn_instrumented_age &&
           pc - sn_last_instrumented.low < sn_last_instrumented.high - sn_last_instrumented.low;
}

static int fast(struct sn_call *c)
{
    struct sn_thread *t = sn_self;
    if (SN_UNLIKELY(sn_stubs[c->stub].is_order))
        return sn_library_fast(c);
    if (!is_of_interest(t))
        return DONE;
    sn_busy_enter(t); /* a handler could make what is known forgotten */
    uintptr_t pc = sn_call_site(c);
    bool known = is_known(t, pc);
    if (SN_LIKELY(known) && !(sn_exclude_any && sn_exclude_has(pc)))
        called(c, t);
    else
        leave_quickly(t);
    return SN_UNLIKELY(!known) ? BEGIN : SN_UNLIKELY(t->sig_pending) ? SIGNAL : DONE;
}

static void slow(struct sn_call *c, int action)
{
    struct sn_thread *t = sn_self;
    if (sn_stubs[c->stub].is_order) {
        sn_library_enter(c, action);
        return;
    }
    if (action == BEGIN)
        sn_calls_refresh();
    if (action == BEGIN && sn_pair_is_recorded(sn_call_site(c))) {
        sn_busy_enter(t);
        called(c, t);
    }
    if (t->sig_pending)
        sn_thread_on_signal(t);
}

/* Slots. */

static const struct sn_elf *module_of(uintptr_t p)
{
    for (uint32_t i = 0; i < nloaded; i++)
        if (p - loaded[i].low < loaded[i].high - loaded[i].low)
            return &loaded[i];
    return 0;
}

static uintptr_t resolve(const char *name, const char *version)
{
    uintptr_t p = 0;
    for (uint32_t i = 0; i < nloaded && !p; i++)
        p = sn_elf_find(&loaded[i], name, version);
    return p;
}

/* They never return, look at their caller's frame, or run on other stacks. */
static bool is_special(const char *name)
{
    static const char *const names[] = {"setjmp",
                                        "_setjmp",
                                        "__sigsetjmp",
                                        "sigsetjmp",
                                        "longjmp",
                                        "siglongjmp",
                                        "vfork",
                                        "dlopen",
                                        "dlclose",
                                        "getcontext",
                                        "setcontext",
                                        "swapcontext",
                                        "makecontext",
                                        "exit",
                                        "_exit",
                                        "abort",
                                        "__cxa_throw",
                                        "__cxa_rethrow",
                                        "_Unwind_Resume",
                                        "__cxa_begin_catch",
                                        "__cxa_end_catch",
                                        "__libc_start_main",
                                        "__cxa_finalize",
                                        "__cxa_atexit",
                                        "__assert_fail",
                                        "__stack_chk_fail",
                                        "__cxa_allocate_exception",
                                        "__errno_location",
                                        "__tls_get_addr",
                                        "__gmon_start__",
                                        "pthread_self",
                                        "thrd_current"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool leads_outside(const struct sn_elf *from, uintptr_t real)
{
    const struct sn_elf *to = module_of(real);
    return to && to != from && strncmp(to->soname, "libsnag", 7) != 0 &&
           strncmp(to->soname, "ld-linux", 8) != 0 && !sn_instrumented(real);
}

static bool is_function(const struct sn_elf *to, const char *name, uintptr_t real)
{
    return sn_elf_find(to, name, 0) == real; /* sn_elf_find() looks at functions only */
}

enum { SN_HARM, SN_HARM_reads, SN_HARM_writes };

static int harm_of(const char *name)
{
    static const struct {
        const char *name;
        int harm;
    } known[] = {
#define SN_HARMLESS(name, what) {#name, SN_HARM_##what},
#include "harmless.def"
#undef SN_HARMLESS
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].harm;
    return SN_HARM;
}

static uintptr_t stub_for(uintptr_t target, uint32_t entry)
{
    return sn_is_stub(target) ? 0 : sn_stub_for((struct sn_stub){.target = target, .entry = entry});
}

/* 0: it needs none, or none is left. */
static uintptr_t stub_of(const char *name, uintptr_t real)
{
    uint32_t mask = mask_of(sn_calls_hash(name, strlen(name)));
    int harm = harm_of(name);
    bool no_variables =
        harm == SN_HARM_writes || strncmp(module_of(real)->soname, "libc.so", 7) == 0;
    if (harm == SN_HARM_reads || (!mask && no_variables))
        return 0; /* nothing can be told by it */
    uintptr_t stub = stub_for(real, no_variables ? mask | ARGUMENTS_ONLY : mask);
    if (stub && nfound_names < MAX_NAMES) {
        found_names[nfound_names].function = real;
        found_names[nfound_names++].name = name;
    }
    return stub;
}

static void look_at(const struct sn_elf *m, const struct sn_elf_slot *s)
{
    if (is_special(s->name))
        return;
    if (sn_stub_special(s->name)) {
        sn_slot_set(m, s->at, sn_stub_special(s->name));
        return;
    }
    uintptr_t real = s->unbound ? resolve(s->name, sn_elf_wanted_version(m, s->symbol)) : s->now;
    if (sn_stub_is_order(real)) /* library.c was first */
        return;
    if (!real || !leads_outside(m, real))
        return;
    if (!s->is_call && !is_function(module_of(real), s->name, real))
        return;
    uintptr_t stub = stub_of(s->name, real);
    if (stub)
        sn_slot_set(m, s->at, stub);
}

static int collect(struct dl_phdr_info *info, size_t size, void *p)
{
    (void)size, (void)p;
    if (info->dlpi_subs != seen_subs) /* an address may be another module's now */
        ndone = 0;
    seen_subs = info->dlpi_subs;
    seen_adds = info->dlpi_adds;
    if (nloaded < MAX_MODULES && sn_elf_read(&loaded[nloaded], info))
        nloaded++;
    return 0;
}

static bool is_done(uintptr_t base)
{
    for (uint32_t i = 0; i < ndone; i++)
        if (done[i] == base)
            return true;
    if (ndone < MAX_MODULES)
        done[ndone++] = base;
    return false;
}

/* An excluded function leads to a stub, which goes on behind the room. */
static void patch_own(const struct sn_elf *m, const char *name, uintptr_t entry, uintptr_t body)
{
    struct sn_excluded *x = sn_exclude_find(entry);
    uintptr_t stub = x && !x->patched ? stub_for(body, mask_of(x->name)) : 0;
    (void)m, (void)name;
    if (stub)
        x->patched = sn_own_jump(entry, body, stub);
}

/* Called for the first module only: the loader's lock is held, so that nothing is unloaded. */
static int patch_all(struct dl_phdr_info *info, size_t size, void *p)
{
    (void)info, (void)size, (void)p;
    nloaded = 0;
    dl_iterate_phdr(collect, 0);
    sn_objects_look_at_modules();
    for (uint32_t i = 0; i < nloaded; i++) {
        if (!sn_instrumented(loaded[i].low) || is_done(loaded[i].base))
            continue;
        sn_elf_slots(&loaded[i], look_at);
        if (sn_exclude_any)
            sn_own_each(&loaded[i], patch_own);
    }
    return 1;
}

/* With the order, or before there are threads. */
static void tell_found(void)
{
    for (uint32_t i = 0; i < nfound_names; i++)
        sn_file_name(found_names[i].function, 1, found_names[i].name);
    nfound_names = 0;
    sn_objects_take_modules();
    sn_pair_forget_modules();
}

/* Under `busy`, which is given back. */
static void tell_with_order(void)
{
    struct sn_thread *t = sn_self;
    if (t && sn_file_live && !t->busy && !sn_rec_of(t)->queued) {
        sn_busy_enter(t);
        sn_order_take(t);
        sn_write_settle(t);
        tell_found();
        __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
        sn_busy_leave(t);
        return;
    }
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* Not for ever: who is at it may wait for the loader's lock, which a constructor that comes here
 * holds. */
static bool become_busy(void)
{
    enum { TIMES = 1000, NAP_US = 50 };
    for (int i = 0; i < TIMES; i++) {
        if (!__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
            return true;
        sn_sleep_us(NAP_US);
    }
    sn_count(LOST_PAIR);
    return false;
}

/* The program has looked a symbol up. */
static uintptr_t looked_up(const char *name, uintptr_t real)
{
    uintptr_t stub = 0;
    sn_calls_refresh();
    if (!sn_self || !sn_file_live || !become_busy())
        return real;
    const struct sn_elf *to = module_of(real);
    if (to && leads_outside(0, real) && !is_special(name) && is_function(to, name, real))
        stub = stub_of(name, real);
    tell_with_order();
    return sn_redirect_for(name, stub ? stub : real);
}

void sn_calls_init(void)
{
    if (!sn_stub_init(fast, slow, looked_up))
        return;
    dl_iterate_phdr(patch_all, 0);
    tell_found();
}

static int has_changed(struct dl_phdr_info *info, size_t size, void *p)
{
    (void)size, (void)p;
    return info->dlpi_adds != seen_adds || info->dlpi_subs != seen_subs ? 1 : 2;
}

void sn_calls_refresh(void)
{
    if (dl_iterate_phdr(has_changed, 0) != 1 || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        return;
    dl_iterate_phdr(patch_all, 0);
    tell_with_order();
}
