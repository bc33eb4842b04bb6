/*
 * future.c: std::promise::set_value_at_thread_exit() and its kin of libstdc++. The result is made
 * ready when the thread ends, by code inside the library: a store that no hook sees, whereas those
 * who wait load with compiled code. So the release is told here, just before that code runs.
 *
 * The layout below is libstdc++'s ABI: headers make and fill these objects in the program.
 */
#include <stdbool.h>
#include <stdint.h>

#include "runtime/emit.h"
#include "runtime/real.h"

struct shared_state {
    void *vtable, *result;
    uint32_t status; /* atomic; the waiters' */
};

/* std::_Sp_counted_base: stays as long as the weak_ptr */
struct owners {
    void *vtable;
    int used; /* atomic; 0: the state is gone */
};

/* std::__future_base::_State_baseV2::_Make_ready */
struct make_ready {
    struct make_ready *next;
    void (*run)(void *);
    struct shared_state *state; /* a std::weak_ptr: it may be gone */
    struct owners *owners;
};

static void (*real_run)(void *); /* the same for all; atomic */

static void run(void *p)
{
    struct make_ready *m = p;
    bool wanted = m->owners && __atomic_load_n(&m->owners->used, __ATOMIC_ACQUIRE);
    struct sn_thread *t = wanted ? sn_enter(SN_CALLER) : 0;
    if (t) {
        SN_EMIT(t, RELEASE_MERGE, .addr = (uintptr_t)&m->state->status, .pc = t->pc);
        sn_hook_leave(t);
    }
    __atomic_load_n(&real_run, __ATOMIC_ACQUIRE)(p);
}

SN_EXPORT void sn_make_ready_set(struct make_ready *m) __asm__(
    "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv");

/* Puts the object on the thread's list of what is to run at its end. */
SN_EXPORT void sn_make_ready_set(struct make_ready *m)
{
    static const char *const libraries[] = {"libstdc++.so.6", 0};
    void (*real)(struct make_ready *) = sn_real_of_library(
        SN_OPERATOR__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, libraries);
    if (!real)
        return;
    real(m);
    __atomic_store_n(&real_run, m->run, __ATOMIC_RELEASE);
    m->run = run;
}
