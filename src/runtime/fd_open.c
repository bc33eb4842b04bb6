/*
 * fd_open.c: where file descriptors come from and go to, for fd.c. errno is always the real call's.
 */
#include "runtime/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "runtime/emit.h"
#include "runtime/real.h"

/* A call that makes one descriptor; it may block (a FIFO's other end) and be cancelled. */
#define MAKES(name, call)                                                                          \
    struct sn_thread *t = sn_hook_enter(SN_CALLER);                                                \
    if (!t)                                                                                        \
        return call;                                                                               \
    int fd;                                                                                        \
    SN_OUTSIDE(t, fd, call);                                                                       \
    sn_fd_forget(fd);                                                                              \
    sn_hook_leave(t);                                                                              \
    return fd

#define MODE(flags)                                                                                \
    va_list ap;                                                                                    \
    va_start(ap, flags);                                                                           \
    mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;                        \
    va_end(ap)

SN_EXPORT int open(const char *path, int flags, ...)
{
    MODE(flags);
    MAKES(open, sn_pass(open)(path, flags, mode));
}

SN_EXPORT int open64(const char *path, int flags, ...)
{
    MODE(flags);
    MAKES(open64, sn_pass(open64)(path, flags, mode));
}

SN_EXPORT int openat(int dir, const char *path, int flags, ...)
{
    MODE(flags);
    MAKES(openat, sn_pass(openat)(dir, path, flags, mode));
}

SN_EXPORT int openat64(int dir, const char *path, int flags, ...)
{
    MODE(flags);
    MAKES(openat64, sn_pass(openat64)(dir, path, flags, mode));
}

SN_EXPORT int creat(const char *path, mode_t mode)
{
    MAKES(creat, sn_pass(creat)(path, mode));
}

SN_EXPORT int socket(int family, int type, int protocol)
{
    MAKES(socket, sn_pass(socket)(family, type, protocol));
}

SN_EXPORT int eventfd(unsigned count, int flags)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    int fd = sn_pass(eventfd)(count, flags);
    if (t) {
        sn_fd_event(fd);
        sn_hook_leave(t);
    }
    return fd;
}

SN_EXPORT int epoll_create(int size)
{
    MAKES(epoll_create, sn_pass(epoll_create)(size));
}

SN_EXPORT int epoll_create1(int flags)
{
    MAKES(epoll_create1, sn_pass(epoll_create1)(flags));
}

static int accepted(struct sn_thread *t, int listening, int fd, uintptr_t pc)
{
    if (fd >= 0) {
        sn_fd_forget(fd);
        sn_fd_accepted(t, listening, pc);
    }
    SN_EMIT(t, UNBLOCK, .pc = pc);
    sn_hook_leave(t);
    return fd;
}

SN_EXPORT int accept(int listening, struct sockaddr *addr, socklen_t *n)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(accept)(listening, addr, n);
    int fd;
    SN_EMIT(t, BLOCK, .addr = (uintptr_t)listening + 1, .pc = pc);
    SN_OUTSIDE(t, fd, sn_real.accept(listening, addr, n));
    return accepted(t, listening, fd, pc);
}

SN_EXPORT int accept4(int listening, struct sockaddr *addr, socklen_t *n, int flags)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(accept4)(listening, addr, n, flags);
    int fd;
    SN_EMIT(t, BLOCK, .addr = (uintptr_t)listening + 1, .pc = pc);
    SN_OUTSIDE(t, fd, sn_real.accept4(listening, addr, n, flags));
    return accepted(t, listening, fd, pc);
}

SN_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t n)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(connect)(fd, to, n);
    int r;
    sn_fd_connecting(t, to, n, pc);
    SN_EMIT(t, BLOCK, .pc = pc);
    SN_OUTSIDE(t, r, sn_real.connect(fd, to, n));
    SN_EMIT(t, UNBLOCK, .pc = pc);
    sn_fd_forget(fd); /* it has a peer now */
    sn_hook_leave(t);
    return r;
}

/* A call that makes both ends of a channel. */
#define MAKES_PAIR(fds, call)                                                                      \
    struct sn_thread *t = sn_hook_enter(SN_CALLER);                                                \
    if (!t)                                                                                        \
        return call;                                                                               \
    int r = call;                                                                                  \
    if (r == 0)                                                                                    \
        sn_fd_pair(fds[0], fds[1]);                                                                \
    sn_hook_leave(t);                                                                              \
    return r

SN_EXPORT int pipe(int fds[2])
{
    MAKES_PAIR(fds, sn_pass(pipe)(fds));
}

SN_EXPORT int pipe2(int fds[2], int flags)
{
    MAKES_PAIR(fds, sn_pass(pipe2)(fds, flags));
}

SN_EXPORT int socketpair(int family, int type, int protocol, int fds[2])
{
    MAKES_PAIR(fds, sn_pass(socketpair)(family, type, protocol, fds));
}

#define COPIES(from, call)                                                                         \
    struct sn_thread *t = sn_hook_enter(SN_CALLER);                                                \
    if (!t)                                                                                        \
        return call;                                                                               \
    int to = call;                                                                                 \
    if (to >= 0 && to != from)                                                                     \
        sn_fd_copy(from, to);                                                                      \
    sn_hook_leave(t);                                                                              \
    return to

SN_EXPORT int dup(int fd)
{
    COPIES(fd, sn_pass(dup)(fd));
}

SN_EXPORT int dup2(int fd, int as)
{
    COPIES(fd, sn_pass(dup2)(fd, as));
}

SN_EXPORT int dup3(int fd, int as, int flags)
{
    COPIES(fd, sn_pass(dup3)(fd, as, flags));
}

/* The third argument is an int, a pointer or nothing: passed on as the word that it is. */
static int control(int fd, int command, void *arg, uintptr_t pc, int (*real)(int, int, ...))
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return real(fd, command, arg);
    int r;
    SN_OUTSIDE(t, r, real(fd, command, arg)); /* F_SETLKW blocks */
    if (r >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
        sn_fd_copy(fd, r);
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int fcntl(int fd, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    return control(fd, command, arg, SN_CALLER, sn_pass(fcntl));
}

SN_EXPORT int fcntl64(int fd, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    return control(fd, command, arg, SN_CALLER, sn_pass(fcntl64));
}

/* The other end sees the close. After it the number may be another thread's at once, so it is
 * forgotten before. */
SN_EXPORT int close(int fd)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(close)(fd);
    int r;
    sn_fd_release(t, fd, pc);
    sn_fd_forget(fd);
    SN_OUTSIDE(t, r, sn_real.close(fd));
    sn_hook_leave(t);
    return r;
}

SN_EXPORT int shutdown(int fd, int how)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(shutdown)(fd, how);
    sn_fd_release(t, fd, pc);
    int r = sn_real.shutdown(fd, how);
    sn_hook_leave(t);
    return r;
}
