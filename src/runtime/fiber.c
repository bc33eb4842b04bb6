/*
 * fiber.c: makecontext, swapcontext, setcontext.
 *
 * To happens-before a fiber is nothing new: what runs on a thread is ordered by that thread, and a
 * scheduler that moves a fiber to another thread must synchronise. What has to be kept apart are
 * the records of open calls: every context that is not running has an area of its own, found by the
 * ucontext's address, and moving control exchanges it with the thread's. A context that nobody
 * swapped out or made (getcontext alone) is a place to jump back to, as with longjmp.
 *
 * When a context's function returns, glibc goes on with uc_link without calling anything that could
 * be interposed; so makecontext puts a routine of snag's in the way of that return.
 */
#include <stdarg.h>

#include "core/slab.h"
#include "core/spin.h"
#include "runtime/emit.h"
#include "runtime/jump.h"
#include "runtime/real.h"

enum {
    BUCKETS = 4096,
    MAX_CONTEXTS = 1 << 16, /* known at once; the calls of more are lost, nothing else */
    FIRST_CALLS = 2048,     /* as a thread begins; sn_thread_grow_frames() goes on from there */
    MAX_SPARE = 64,
    MAX_ARGS = 16,
};

struct calls {
    struct sn_call_frame *frames, *end, *sp; /* null: none */
    uint32_t lost;
};

struct context {
    uint32_t next; /* hash chain; first for the slab */
    uintptr_t addr;
    struct calls calls;
};

SN_SLAB(contexts, struct context, 8, MAX_CONTEXTS);
static uint32_t buckets[BUCKETS] SN_LARGE;
static uint32_t table_lock; /* guards buckets, chains and spare */
static struct calls spare[MAX_SPARE];
static int nspare;

uintptr_t sn_fiber_glibc_end; /* glibc's __start_context: what follows a context's function */
void sn_fiber_end(void);
void sn_fiber_returned(uintptr_t link);

/* glibc left &uc_link in rbx, and the stack is aligned here as after any return. */
__asm__(".text\n"
        ".type sn_fiber_end, @function\n"
        "sn_fiber_end:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    movq (%rbx), %rdi\n"
        "    call sn_fiber_returned@PLT\n"
        "    movq sn_fiber_glibc_end@GOTPCREL(%rip), %rax\n"
        "    jmp *(%rax)\n"
        "    .cfi_endproc\n"
        ".size sn_fiber_end, .-sn_fiber_end\n");

static struct context *find(uintptr_t addr, uint32_t **bucket)
{
    *bucket = &buckets[((uint32_t)(addr >> 4) * 0x9e3779b1u) >> 20];
    for (uint32_t h = **bucket; h;) {
        struct context *c = sn_slab_at(&contexts, h);
        if (c->addr == addr)
            return c;
        h = c->next;
    }
    return 0;
}

static void keep_spare(struct calls *c)
{
    if (c->frames && nspare < MAX_SPARE)
        spare[nspare++] = *c;
    c->frames = 0;
}

/* The calls of the context at addr, taken out of the table; frames null: it has none. */
static struct calls take(uintptr_t addr)
{
    uint32_t *bucket;
    struct calls calls = {0};
    sn_spin_lock(&table_lock);
    struct context *c = find(addr, &bucket);
    if (c) {
        calls = c->calls;
        c->calls.frames = 0;
    }
    sn_spin_unlock(&table_lock);
    return calls;
}

static void put(uintptr_t addr, struct calls calls)
{
    uint32_t *bucket, h;
    sn_spin_lock(&table_lock);
    struct context *c = find(addr, &bucket);
    if (!c && (h = sn_slab_alloc(&contexts))) {
        c = sn_slab_at(&contexts, h);
        *c = (struct context){.next = *bucket, .addr = addr};
        *bucket = h;
    }
    if (c) {
        keep_spare(&c->calls);
        c->calls = calls;
    }
    sn_spin_unlock(&table_lock);
}

static struct calls fresh(void)
{
    struct calls c = {0};
    sn_spin_lock(&table_lock);
    if (nspare)
        c = spare[--nspare];
    sn_spin_unlock(&table_lock);
    if (!c.frames) {
        c.frames = sn_frames_new(FIRST_CALLS);
        c.end = c.frames ? c.frames + FIRST_CALLS : 0;
    }
    c.sp = c.frames;
    c.lost = 0;
    return c;
}

static void drop(struct calls c)
{
    sn_spin_lock(&table_lock);
    keep_spare(&c);
    sn_spin_unlock(&table_lock);
}

static struct calls of_thread(const struct sn_thread *t)
{
    return (struct calls){t->frames, t->frames_end, t->sp, t->frames_lost};
}

static void to_thread(struct sn_thread *t, struct calls c)
{
    t->frames = c.frames;
    t->frames_end = c.end;
    t->sp = c.sp;
    t->frames_lost = c.lost;
    t->low = c.lost ? c.sp : c.frames;
}

/* The slots that a context is made with, on the stack that it will run on. */
static void watch_return(ucontext_t *u)
{
    uintptr_t *sp = (uintptr_t *)u->uc_mcontext.gregs[REG_RSP];
    sn_fiber_glibc_end = sp[0];
    sp[0] = (uintptr_t)sn_fiber_end;
}

SN_EXPORT void makecontext(ucontext_t *u, void (*fn)(void), int argc, ...)
{
    long a[MAX_ARGS] = {0};
    va_list ap;
    va_start(ap, argc);
    for (int i = 0; i < argc && i < MAX_ARGS; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    sn_pass(makecontext)(u, fn, argc, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                         a[10], a[11], a[12], a[13], a[14], a[15]);
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (!t)
        return;
    struct calls calls = fresh();
    if (calls.frames) {
        put((uintptr_t)u, calls);
        watch_return(u);
    }
    sn_hook_leave(t);
}

/* Control goes to `to` and does not come back here. */
static void go(struct sn_thread *t, uintptr_t to, uintptr_t rsp)
{
    struct calls calls = take(to);
    if (!calls.frames) {
        sn_jump_to(rsp);
        return;
    }
    drop(of_thread(t));
    to_thread(t, calls);
}

SN_EXPORT int setcontext(const ucontext_t *u)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (t) {
        go(t, (uintptr_t)u, (uintptr_t)u->uc_mcontext.gregs[REG_RSP]);
        sn_hook_leave(t);
    }
    return sn_pass(setcontext)(u);
}

/* In the thread that runs the context when its function returns; outside any hook. */
void sn_fiber_returned(uintptr_t link)
{
    struct sn_thread *t = link ? sn_hook_enter(SN_CALLER) : 0;
    if (!t)
        return;
    go(t, link, (uintptr_t)((const ucontext_t *)link)->uc_mcontext.gregs[REG_RSP]);
    sn_hook_leave(t);
}

/* Control comes back into the real call, perhaps in another thread, whose records whoever switched
 * has already exchanged. */
SN_EXPORT int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    if (!t)
        return sn_pass(swapcontext)(from, to);
    struct calls next = take((uintptr_t)to);
    if (!next.frames)
        next = fresh();
    if (next.frames) {
        put((uintptr_t)from, of_thread(t));
        to_thread(t, next);
    }
    sn_hook_leave(t);
    return sn_real.swapcontext(from, to);
}
