/*
 * thread_create.c: pthread_create and thrd_create.
 *
 * The parent makes the record and tells the engine before the child can run; the child enters
 * through a trampoline that binds the record, so START is its first event. What the trampoline
 * needs lies where the child's call frames will be: nothing is allocated, and it is read before the
 * first of them is written. The real call is made outside the hook: a signal that was put off has
 * then run, and the child inherits the mask that the program set.
 */
#include "runtime/thread_hooks.h"

#include "runtime/emit.h"
#include "runtime/hang.h"
#include "runtime/real.h"
#include "runtime/redirect.h"
#include "runtime/unwind.h"

struct start {
    void *(*posix)(void *); /* one of the two */
    thrd_start_t c11;
    void *arg;
    struct sn_thread *thread;
};

static struct start *start_of(struct sn_thread *child)
{
    return (struct start *)child->frames;
}

/* libc allocates before it makes the thread, perhaps by functions of the program's own. What they do
 * comes before all that the child does, but after CREATE: it is not looked at. */
enum { ACCESSES = 3 };

/* Inside a hook. The stack may have been another thread's: its shadow is reset before START. */
void sn_thread_bind(struct sn_thread *t)
{
    sn_thread_attach(t, 0, 0);
    sn_stack_bounds(&t->stack_low, &t->stack_high);
    sn_tls_bounds(&t->tls_low, &t->tls_high);
    sn_thread_end_arm(t);
    sn_hang_thread(+1);
}

static void begin(const struct start *s)
{
    struct sn_thread *t = s->thread;
    uintptr_t routine = s->posix ? (uintptr_t)s->posix : (uintptr_t)s->c11;
    sn_hook_resume(t);
    sn_thread_bind(t);
    if (t->stack_low)
        SN_EMIT(t, MAP, .addr = t->stack_low, .size = t->stack_high - t->stack_low);
    SN_EMIT(t, START, .value = t->parent, .size = routine, .arg = s->arg);
    sn_hook_leave(t);
}

static void *run_posix(void *p)
{
    struct start s = *(struct start *)p;
    begin(&s);
    return s.posix(s.arg);
}

static int run_c11(void *p)
{
    struct start s = *(struct start *)p;
    begin(&s);
    return s.c11(s.arg);
}

static struct sn_thread *new_child(struct sn_thread *t, uintptr_t pc, const struct start *s)
{
    struct sn_thread *child = sn_thread_new(t, sn_unwind_hook(t, pc));
    sn_redirect_refresh(); /* dlopen may have brought something */
    if (!child)
        return 0;
    *start_of(child) = *s;
    start_of(child)->thread = child;
    SN_EMIT(t, CREATE, .value = child->number, .pc = pc);
    SN_EMIT(t, IGNORE, .value = ACCESSES, .pc = pc);
    return child;
}

/* The handle is set here too, since whoever gets it from pthread_create may use it before the child
 * has run. A record that is already another thread's is left alone. */
static void created(struct sn_thread *t, uintptr_t pc, struct sn_thread *child, uint32_t number,
                    const pthread_t *out, bool detached)
{
    struct sn_event ev = {.op = SN_EV_CREATE, .addr = (uintptr_t)out, .value = number, .pc = pc};
    if (__atomic_load_n(&child->number, __ATOMIC_RELAXED) == number &&
        !__atomic_load_n(&child->pthread, __ATOMIC_RELAXED))
        sn_thread_set_handle(child, (uintptr_t)*out);
    if (detached)
        sn_thread_release(child);
    sn_gate(t, &ev); /* the child is there: a scheduler may let it go first */
}

bool sn_attr_is_detached(const pthread_attr_t *attr)
{
    int state = PTHREAD_CREATE_JOINABLE;
    return attr && pthread_attr_getdetachstate(attr, &state) == 0 &&
           state == PTHREAD_CREATE_DETACHED;
}

SN_EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
                             void *arg)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc), *child = 0;
    if (t)
        child = new_child(t, pc, &(struct start){.posix = fn, .arg = arg});
    if (!child) {
        if (t)
            sn_hook_leave(t);
        return sn_pass(pthread_create)(out, attr, fn, arg);
    }
    uint32_t number = child->number;
    int r;
    SN_OUTSIDE(t, r, sn_real.pthread_create(out, attr, run_posix, start_of(child)));
    SN_EMIT(t, WATCH, .value = ACCESSES, .pc = pc);
    if (r == 0)
        created(t, pc, child, number, out, sn_attr_is_detached(attr));
    else
        sn_thread_never_ran(child);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int thrd_create(thrd_t *out, thrd_start_t fn, void *arg)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_enter(pc), *child = 0;
    if (t)
        child = new_child(t, pc, &(struct start){.c11 = fn, .arg = arg});
    if (!child) {
        if (t)
            sn_hook_leave(t);
        return sn_pass(thrd_create)(out, fn, arg);
    }
    uint32_t number = child->number;
    int r;
    SN_OUTSIDE(t, r, sn_real.thrd_create(out, run_c11, start_of(child)));
    SN_EMIT(t, WATCH, .value = ACCESSES, .pc = pc);
    if (r == thrd_success)
        created(t, pc, child, number, out, false);
    else
        sn_thread_never_ran(child);
    sn_hook_leave(t);
    return r;
}
