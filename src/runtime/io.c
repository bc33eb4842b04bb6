/*
 * io.c: read, write and their kin: memory accesses at the place of the call, edges through the
 * descriptor, and the real call outside the hook, since it may block, be interrupted or be
 * cancelled.
 */
#include "runtime/fd.h"

#include <limits.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include "runtime/emit.h"
#include "runtime/real.h"
#include "runtime/touch.h"

/* BLOCK says 1 + the descriptor and the direction, so that a scheduler can see whether it waits. */
static struct sn_thread *begin(int fd, bool output, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (t)
        SN_EMIT(t, BLOCK, .addr = (uintptr_t)fd + 1, .value = output, .pc = pc);
    return t;
}

/* End of file counts: the writer closed its end before. */
static void came_in(struct sn_thread *t, int fd, ssize_t r, uintptr_t pc)
{
    SN_EMIT(t, UNBLOCK, .pc = pc);
    if (r >= 0)
        sn_fd_acquire(t, fd, pc);
    sn_hook_leave(t);
}

static void touch_vector(const struct iovec *v, int n, ssize_t bytes, bool write, uintptr_t pc)
{
    for (int i = 0; i < n && bytes > 0; i++) {
        size_t part = v[i].iov_len < (size_t)bytes ? v[i].iov_len : (size_t)bytes;
        if (write)
            sn_touch_write(v[i].iov_base, part, pc);
        else
            sn_touch_read(v[i].iov_base, part, pc);
        bytes -= (ssize_t)part;
    }
}

/* `call` fills memory with r bytes; `touch` tells it. */
#define INPUT(call, touch)                                                                         \
    uintptr_t pc = SN_CALLER;                                                                      \
    struct sn_thread *t = begin(fd, false, pc);                                                    \
    if (!t)                                                                                        \
        return call;                                                                               \
    ssize_t r;                                                                                     \
    SN_OUTSIDE(t, r, call);                                                                        \
    came_in(t, fd, r, pc);                                                                         \
    if (r > 0 && sn_touching(pc))                                                                  \
        touch;                                                                                     \
    return r

#define OUTPUT(call, touch)                                                                        \
    uintptr_t pc = SN_CALLER;                                                                      \
    if (sn_touching(pc))                                                                           \
        touch;                                                                                     \
    struct sn_thread *t = begin(fd, true, pc);                                                     \
    if (!t)                                                                                        \
        return call;                                                                               \
    ssize_t r;                                                                                     \
    sn_fd_release(t, fd, pc);                                                                      \
    SN_OUTSIDE(t, r, call);                                                                        \
    SN_EMIT(t, UNBLOCK, .pc = pc);                                                                 \
    sn_hook_leave(t);                                                                              \
    return r

SN_EXPORT ssize_t read(int fd, void *to, size_t n)
{
    INPUT(sn_pass(read)(fd, to, n), sn_touch_write(to, (size_t)r, pc));
}

ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
SN_EXPORT ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    INPUT(sn_pass(__read_chk)(fd, to, n, room), sn_touch_write(to, (size_t)r, pc));
}

SN_EXPORT ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    INPUT(sn_pass(pread)(fd, to, n, at), sn_touch_write(to, (size_t)r, pc));
}

SN_EXPORT ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
    INPUT(sn_pass(pread64)(fd, to, n, at), sn_touch_write(to, (size_t)r, pc));
}

ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room);
SN_EXPORT ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
    INPUT(sn_pass(__pread_chk)(fd, to, n, at, room), sn_touch_write(to, (size_t)r, pc));
}

SN_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
    INPUT(sn_pass(readv)(fd, v, n), touch_vector(v, n, r, true, pc));
}

SN_EXPORT ssize_t preadv(int fd, const struct iovec *v, int n, off_t at)
{
    INPUT(sn_pass(preadv)(fd, v, n, at), touch_vector(v, n, r, true, pc));
}

SN_EXPORT ssize_t recv(int fd, void *to, size_t n, int flags)
{
    INPUT(sn_pass(recv)(fd, to, n, flags), sn_touch_write(to, (size_t)r < n ? (size_t)r : n, pc));
}

ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
SN_EXPORT ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
    INPUT(sn_pass(__recv_chk)(fd, to, n, room, flags),
          sn_touch_write(to, (size_t)r < n ? (size_t)r : n, pc));
}

SN_EXPORT ssize_t recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from,
                           socklen_t *size)
{
    INPUT(sn_pass(recvfrom)(fd, to, n, flags, from, size),
          sn_touch_write(to, (size_t)r < n ? (size_t)r : n, pc));
}

ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from,
                       socklen_t *size);
SN_EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
                                 struct sockaddr *from, socklen_t *size)
{
    INPUT(sn_pass(__recvfrom_chk)(fd, to, n, room, flags, from, size),
          sn_touch_write(to, (size_t)r < n ? (size_t)r : n, pc));
}

SN_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    INPUT(sn_pass(recvmsg)(fd, m, flags),
          touch_vector(m->msg_iov, (int)m->msg_iovlen, r, true, pc));
}

SN_EXPORT ssize_t write(int fd, const void *from, size_t n)
{
    OUTPUT(sn_pass(write)(fd, from, n), sn_touch_read(from, n, pc));
}

SN_EXPORT ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
    OUTPUT(sn_pass(pwrite)(fd, from, n, at), sn_touch_read(from, n, pc));
}

SN_EXPORT ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at)
{
    OUTPUT(sn_pass(pwrite64)(fd, from, n, at), sn_touch_read(from, n, pc));
}

SN_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
    OUTPUT(sn_pass(writev)(fd, v, n), touch_vector(v, n, SSIZE_MAX, false, pc));
}

SN_EXPORT ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    OUTPUT(sn_pass(pwritev)(fd, v, n, at), touch_vector(v, n, SSIZE_MAX, false, pc));
}

SN_EXPORT ssize_t send(int fd, const void *from, size_t n, int flags)
{
    OUTPUT(sn_pass(send)(fd, from, n, flags), sn_touch_read(from, n, pc));
}

SN_EXPORT ssize_t sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *to,
                         socklen_t size)
{
    OUTPUT(sn_pass(sendto)(fd, from, n, flags, to, size), sn_touch_read(from, n, pc));
}

SN_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    OUTPUT(sn_pass(sendmsg)(fd, m, flags),
           touch_vector(m->msg_iov, (int)m->msg_iovlen, SSIZE_MAX, false, pc));
}

/* From one descriptor to another, past the program's memory. */
static ssize_t moved(struct sn_thread *t, int in, ssize_t r, uintptr_t pc)
{
    came_in(t, in, r, pc);
    return r;
}

SN_EXPORT ssize_t sendfile(int out, int in, off_t *at, size_t n)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = begin(out, true, pc);
    if (!t)
        return sn_pass(sendfile)(out, in, at, n);
    ssize_t r;
    sn_fd_release(t, out, pc);
    SN_OUTSIDE(t, r, sn_real.sendfile(out, in, at, n));
    return moved(t, in, r, pc);
}

SN_EXPORT ssize_t sendfile64(int out, int in, off64_t *at, size_t n)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = begin(out, true, pc);
    if (!t)
        return sn_pass(sendfile64)(out, in, at, n);
    ssize_t r;
    sn_fd_release(t, out, pc);
    SN_OUTSIDE(t, r, sn_real.sendfile64(out, in, at, n));
    return moved(t, in, r, pc);
}

SN_EXPORT ssize_t splice(int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = begin(in, false, pc);
    if (!t)
        return sn_pass(splice)(in, from, out, to, n, flags);
    ssize_t r;
    sn_fd_release(t, out, pc);
    SN_OUTSIDE(t, r, sn_real.splice(in, from, out, to, n, flags));
    return moved(t, in, r, pc);
}

SN_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = begin(fd, false, pc);
    if (!t)
        return sn_pass(eventfd_read)(fd, value);
    int r;
    SN_OUTSIDE(t, r, sn_real.eventfd_read(fd, value));
    came_in(t, fd, r, pc);
    return r;
}

SN_EXPORT int eventfd_write(int fd, eventfd_t value)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = begin(fd, true, pc);
    if (!t)
        return sn_pass(eventfd_write)(fd, value);
    int r;
    sn_fd_release(t, fd, pc);
    SN_OUTSIDE(t, r, sn_real.eventfd_write(fd, value));
    SN_EMIT(t, UNBLOCK, .pc = pc);
    sn_hook_leave(t);
    return r;
}
