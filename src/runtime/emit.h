/*
 * emit.h: how a hook enters, asks the gate and tells the engine.
 *
 *     struct sn_thread *t = sn_enter(pc);          // like sn_hook_enter(), and adopts the thread
 *     struct sn_event ev = {.op = SN_EV_LOCK, …};
 *     int r = SN_GATED(t, &ev, sn_real.f(x));      // the real call, unless the gate has done it
 *     SN_EMIT(t, LOCK, .addr = …, .pc = pc);
 *
 * What the gate answers takes the place of the real call's result only: the hook goes on as after
 * a real call, so held locks and events are the same with and without a gate.
 */
#ifndef SN_RUNTIME_EMIT_H
#define SN_RUNTIME_EMIT_H

#include "core/event.h"
#include "runtime/hook.h"

#define SN_EMIT(t, id, ...)                                                                        \
    do {                                                                                           \
        struct sn_event emitted = {.op = SN_EV_##id, __VA_ARGS__};                                 \
        sn_engine_event(t, &emitted);                                                              \
    } while (0)

#define SN_GATED(t, ev, call)                                                                      \
    (sn_engine_gates && sn_engine_gate(t, ev) == SN_DONE ? (ev)->result : (call))

/* A real call in which signal handlers and other code of the program may run. */
#define SN_OUTSIDE(t, result, call)                                                                \
    do {                                                                                           \
        uintptr_t pc_before = (t)->pc;                                                             \
        sn_hook_suspend(t);                                                                        \
        (result) = (call);                                                                         \
        sn_hook_resume(t);                                                                         \
        (t)->pc = pc_before;                                                                       \
    } while (0)

/* Makes a record for the calling thread if it has none and may have one. */
struct sn_thread *sn_adopt(void);

/* For synchronisation hooks: a thread that was there before snag, or that clone() made, joins in.
 */
static inline struct sn_thread *sn_enter(uintptr_t pc)
{
    if (SN_UNLIKELY(!sn_self) && !sn_adopt())
        return 0;
    return sn_hook_enter(pc);
}

#endif
