/*
 * io_wait.c: poll, select, epoll: waiting for descriptors. What epoll_ctl registered happens before
 * the epoll_wait that returns it; a descriptor that is ready for reading has been written to.
 */
#include "runtime/fd.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "runtime/emit.h"
#include "runtime/real.h"
#include "runtime/touch.h"

enum { MAX_LOOKED_AT = 256 }; /* descriptors of one call that get their edge */

#define WAIT(call)                                                                                 \
    uintptr_t pc = SN_CALLER;                                                                      \
    struct sn_thread *t = sn_hook_enter(pc);                                                       \
    if (!t)                                                                                        \
        return call;                                                                               \
    int r;                                                                                         \
    SN_EMIT(t, BLOCK, .pc = pc);                                                                   \
    SN_OUTSIDE(t, r, call);                                                                        \
    SN_EMIT(t, UNBLOCK, .pc = pc)

static void polled(struct sn_thread *t, const struct pollfd *p, nfds_t n, int ready, uintptr_t pc)
{
    for (nfds_t i = 0; i < n && i < MAX_LOOKED_AT && ready > 0; i++) {
        if (!p[i].revents)
            continue;
        ready--;
        if (p[i].revents & (POLLIN | POLLHUP))
            sn_fd_acquire(t, p[i].fd, pc);
    }
}

SN_EXPORT int poll(struct pollfd *p, nfds_t n, int timeout)
{
    WAIT(sn_pass(poll)(p, n, timeout));
    polled(t, p, n, r, pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int ppoll(struct pollfd *p, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
    WAIT(sn_pass(ppoll)(p, n, limit, mask));
    polled(t, p, n, r, pc);
    sn_hook_leave(t);
    return r;
}

int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t room);
SN_EXPORT int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t room)
{
    WAIT(sn_pass(__poll_chk)(p, n, timeout, room));
    polled(t, p, n, r, pc);
    sn_hook_leave(t);
    return r;
}

static void selected(struct sn_thread *t, int n, const fd_set *in, int ready, uintptr_t pc)
{
    for (int fd = 0; in && fd < n && fd < FD_SETSIZE && ready > 0; fd++)
        if (FD_ISSET(fd, in))
            sn_fd_acquire(t, fd, pc);
}

SN_EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *bad, struct timeval *limit)
{
    WAIT(sn_pass(select)(n, in, out, bad, limit));
    selected(t, n, in, r, pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *bad, const struct timespec *limit,
                      const sigset_t *mask)
{
    WAIT(sn_pass(pselect)(n, in, out, bad, limit, mask));
    selected(t, n, in, r, pc);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int epoll_ctl(int ep, int op, int fd, struct epoll_event *ev)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(epoll_ctl)(ep, op, fd, ev);
    sn_fd_release(t, ep, pc);
    int r = sn_real.epoll_ctl(ep, op, fd, ev);
    sn_hook_leave(t);
    return r;
}

static int epolled(struct sn_thread *t, int ep, const struct epoll_event *ev, int r, uintptr_t pc)
{
    if (r > 0)
        sn_fd_acquire(t, ep, pc);
    sn_hook_leave(t);
    if (r > 0 && sn_touching(pc))
        sn_touch_write(ev, (size_t)r * sizeof *ev, pc);
    return r;
}

SN_EXPORT int epoll_wait(int ep, struct epoll_event *ev, int max, int timeout)
{
    WAIT(sn_pass(epoll_wait)(ep, ev, max, timeout));
    return epolled(t, ep, ev, r, pc);
}

SN_EXPORT int epoll_pwait(int ep, struct epoll_event *ev, int max, int timeout,
                          const sigset_t *mask)
{
    WAIT(sn_pass(epoll_pwait)(ep, ev, max, timeout, mask));
    return epolled(t, ep, ev, r, pc);
}

SN_EXPORT int epoll_pwait2(int ep, struct epoll_event *ev, int max, const struct timespec *limit,
                           const sigset_t *mask)
{
    WAIT(sn_pass(epoll_pwait2)(ep, ev, max, limit, mask));
    return epolled(t, ep, ev, r, pc);
}
