/*
 * message_queue.c: POSIX and System V message queues and System V semaphores, which threads of one
 * process may use between each other. A System V object is known by its number.
 */
#include "runtime/fd.h"

#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "runtime/emit.h"
#include "runtime/real.h"
#include "runtime/touch.h"

enum { NUMBERS = 4096 };
static uint64_t objects[2][NUMBERS] SN_LARGE; /* addresses only: queues, semaphore sets */

static uintptr_t object(int which, int number)
{
    return (uintptr_t)&objects[which][(unsigned)number % NUMBERS];
}

#define SENDS(type, release, touch, call)                                                          \
    uintptr_t pc = SN_CALLER;                                                                      \
    if (sn_touching(pc))                                                                           \
        touch;                                                                                     \
    struct sn_thread *t = sn_hook_enter(pc);                                                       \
    if (!t)                                                                                        \
        return call;                                                                               \
    type r;                                                                                        \
    release;                                                                                       \
    SN_EMIT(t, BLOCK, .pc = pc);                                                                   \
    SN_OUTSIDE(t, r, call);                                                                        \
    SN_EMIT(t, UNBLOCK, .pc = pc);                                                                 \
    sn_hook_leave(t);                                                                              \
    return r

#define RECEIVES(type, acquire, touch, call)                                                       \
    uintptr_t pc = SN_CALLER;                                                                      \
    struct sn_thread *t = sn_hook_enter(pc);                                                       \
    if (!t)                                                                                        \
        return call;                                                                               \
    type r;                                                                                        \
    SN_EMIT(t, BLOCK, .pc = pc);                                                                   \
    SN_OUTSIDE(t, r, call);                                                                        \
    SN_EMIT(t, UNBLOCK, .pc = pc);                                                                 \
    if (r >= 0)                                                                                    \
        acquire;                                                                                   \
    sn_hook_leave(t);                                                                              \
    if (r >= 0 && sn_touching(pc))                                                                 \
        touch;                                                                                     \
    return r

SN_EXPORT int mq_send(mqd_t q, const char *from, size_t n, unsigned priority)
{
    SENDS(int, sn_fd_release(t, q, pc), sn_touch_read(from, n, pc),
          sn_pass(mq_send)(q, from, n, priority));
}

SN_EXPORT int mq_timedsend(mqd_t q, const char *from, size_t n, unsigned priority,
                           const struct timespec *limit)
{
    SENDS(int, sn_fd_release(t, q, pc), sn_touch_read(from, n, pc),
          sn_pass(mq_timedsend)(q, from, n, priority, limit));
}

SN_EXPORT ssize_t mq_receive(mqd_t q, char *to, size_t n, unsigned *priority)
{
    RECEIVES(ssize_t, sn_fd_acquire(t, q, pc), sn_touch_write(to, (size_t)r, pc),
             sn_pass(mq_receive)(q, to, n, priority));
}

SN_EXPORT ssize_t mq_timedreceive(mqd_t q, char *to, size_t n, unsigned *priority,
                                  const struct timespec *limit)
{
    RECEIVES(ssize_t, sn_fd_acquire(t, q, pc), sn_touch_write(to, (size_t)r, pc),
             sn_pass(mq_timedreceive)(q, to, n, priority, limit));
}

SN_EXPORT int msgsnd(int q, const void *from, size_t n, int flags)
{
    SENDS(int, SN_EMIT(t, RELEASE_MERGE, .addr = object(0, q), .pc = pc),
          sn_touch_read(from, sizeof(long) + n, pc), sn_pass(msgsnd)(q, from, n, flags));
}

SN_EXPORT ssize_t msgrcv(int q, void *to, size_t n, long type, int flags)
{
    RECEIVES(ssize_t, SN_EMIT(t, ACQUIRE, .addr = object(0, q), .pc = pc),
             sn_touch_write(to, sizeof(long) + (size_t)r, pc),
             sn_pass(msgrcv)(q, to, n, type, flags));
}

/* Which of the operations wait and which post is for the kernel: both edges. */
static int operate(int set, struct sembuf *ops, size_t n, const struct timespec *limit, bool timed,
                   uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return timed ? sn_pass(semtimedop)(set, ops, n, limit) : sn_pass(semop)(set, ops, n);
    int r;
    SN_EMIT(t, RELEASE_MERGE, .addr = object(1, set), .pc = pc);
    SN_EMIT(t, BLOCK, .pc = pc);
    SN_OUTSIDE(t, r, timed ? sn_real.semtimedop(set, ops, n, limit) : sn_real.semop(set, ops, n));
    SN_EMIT(t, UNBLOCK, .pc = pc);
    if (r == 0)
        SN_EMIT(t, ACQUIRE, .addr = object(1, set), .pc = pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int semop(int set, struct sembuf *ops, size_t n)
{
    return operate(set, ops, n, 0, false, SN_CALLER);
}

SN_EXPORT int semtimedop(int set, struct sembuf *ops, size_t n, const struct timespec *limit)
{
    return operate(set, ops, n, limit, true, SN_CALLER);
}
