/* notify.c: calls by which libc makes a thread of its own that runs the program's code. */
#include <mqueue.h>
#include <time.h>

#include "runtime/emit.h"
#include "runtime/real.h"
#include "runtime/thread_hooks.h"

void sn_adopt_expect_here(uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    sn_adopt_expect(t, pc);
    sn_hook_leave(t);
}

static bool by_thread(const struct sigevent *e)
{
    return e && e->sigev_notify == SIGEV_THREAD;
}

SN_EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    if (by_thread(event))
        sn_adopt_expect_here(SN_CALLER);
    return sn_pass(timer_create)(clock, event, timer);
}

SN_EXPORT int mq_notify(mqd_t queue, const struct sigevent *event)
{
    if (by_thread(event))
        sn_adopt_expect_here(SN_CALLER);
    return sn_pass(mq_notify)(queue, event);
}
