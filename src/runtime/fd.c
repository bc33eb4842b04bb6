/*
 * fd.c: which synchronisation object a file descriptor is.
 *
 * Two descriptors are one object when what is written to one can be read from the other: the ends
 * of a pipe have the same inode; the ends of a TCP connection inside the process have the same pair
 * of addresses; a socketpair is told by its hook. Connections are kept apart, since one object for
 * all sockets would order every worker of a server after every other and hide their races. Found
 * out on first use and kept until the descriptor is closed or made again.
 *
 * An object is an address in an array that is never touched. Two things that fold to the same place
 * only mean an edge too many.
 */
#include "runtime/fd.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "runtime/emit.h"

enum {
    MAX_FD = 1 << 16,
    OBJECTS = 1 << 16,
    CHANNEL = 1 << 30, /* in kind[]: not a file */
    KNOWN = 1 << 29,
    INSIDE = 1 << 28, /* made by this process to talk to itself */
};

static uint64_t objects[OBJECTS] SN_LARGE;
static uint32_t known[MAX_FD] SN_LARGE; /* flags and the object's number; 0: find out; atomic */
static uint32_t next_pair;

static uint32_t fold(uint64_t h)
{
    h *= 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 48) & (OBJECTS - 1);
}

static uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *b = p;
    uint64_t h = 14695981039346656037ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * 1099511628211ull;
    return h;
}

/* Address and port of a network socket; 0: it has none. */
static uint64_t endpoint(const struct sockaddr_storage *a)
{
    if (a->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)a;
        return hash_bytes(&in->sin_addr, sizeof in->sin_addr) ^ in->sin_port;
    }
    if (a->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *)a;
        /* an IPv4 connection seen from an IPv6 socket: the same last four bytes */
        bool mapped = IN6_IS_ADDR_V4MAPPED(&in->sin6_addr);
        const unsigned char *bytes = in->sin6_addr.s6_addr;
        return hash_bytes(mapped ? bytes + 12 : bytes, mapped ? 4 : 16) ^ in->sin6_port;
    }
    return 0;
}

static uint32_t own(int fd)
{
    return fold(0x1000000000ull + (uint64_t)fd);
}

/* Two processes' sockets need no edge, but the kernel does not say which are which cheaply for
 * datagrams and Unix sockets: those of one process share an object. */
static uint32_t socket_object(int fd)
{
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t n = sizeof here, m = sizeof there;
    if (sn_sys3(SYS_getsockname, fd, &here, &n) != 0)
        return own(fd);
    bool connected = sn_sys3(SYS_getpeername, fd, &there, &m) == 0;
    if (here.ss_family == AF_UNIX || !connected)
        return fold(0x2000000000ull + here.ss_family);
    return fold(endpoint(&here) + endpoint(&there));
}

static uint32_t find_out(int fd)
{
    struct stat st;
    if (sn_sys2(SYS_fstat, fd, &st) != 0)
        return 0;
    switch (st.st_mode & S_IFMT) {
    case S_IFSOCK:
        return KNOWN | CHANNEL | socket_object(fd);
    case S_IFIFO:
        return KNOWN | CHANNEL | fold(st.st_dev * 31 + st.st_ino);
    case S_IFREG:
    case S_IFCHR:
        return KNOWN | fold(st.st_dev * 31 + st.st_ino);
    default: /* eventfd, epoll, timerfd, … share one inode */
        return KNOWN | CHANNEL | own(fd);
    }
}

static uint32_t look_up(int fd)
{
    if ((unsigned)fd >= MAX_FD)
        return 0;
    uint32_t k = __atomic_load_n(&known[fd], __ATOMIC_RELAXED);
    if (SN_LIKELY(k != 0))
        return k;
    k = find_out(fd);
    __atomic_store_n(&known[fd], k, __ATOMIC_RELAXED);
    return k;
}

static uintptr_t address(uint32_t k)
{
    return (uintptr_t)&objects[k & (OBJECTS - 1)];
}

void sn_fd_release(struct sn_thread *t, int fd, uintptr_t pc)
{
    uint32_t k = look_up(fd);
    if (k)
        SN_EMIT(t, RELEASE_MERGE, .addr = address(k), .pc = pc);
}

void sn_fd_acquire(struct sn_thread *t, int fd, uintptr_t pc)
{
    uint32_t k = look_up(fd);
    if (k)
        SN_EMIT(t, ACQUIRE, .addr = address(k), .pc = pc);
}

bool sn_fd_is_channel(int fd)
{
    return look_up(fd) & CHANNEL;
}

bool sn_fd_is_inside(int fd)
{
    return look_up(fd) & INSIDE;
}

void sn_fd_event(int fd)
{
    if ((unsigned)fd < MAX_FD)
        __atomic_store_n(&known[fd], KNOWN | CHANNEL | INSIDE | own(fd), __ATOMIC_RELAXED);
}

void sn_fd_forget(int fd)
{
    if ((unsigned)fd < MAX_FD)
        __atomic_store_n(&known[fd], 0, __ATOMIC_RELAXED);
}

void sn_fd_pair(int a, int b)
{
    uint64_t pair = 0x3000000000ull + __atomic_fetch_add(&next_pair, 1, __ATOMIC_RELAXED);
    uint32_t k = KNOWN | CHANNEL | INSIDE | fold(pair);
    if ((unsigned)a < MAX_FD && (unsigned)b < MAX_FD) {
        __atomic_store_n(&known[a], k, __ATOMIC_RELAXED);
        __atomic_store_n(&known[b], k, __ATOMIC_RELAXED);
    }
}

void sn_fd_copy(int from, int to)
{
    if ((unsigned)to < MAX_FD)
        __atomic_store_n(&known[to], look_up(from), __ATOMIC_RELAXED);
}

/* By port or path alone: the listening side often has the wildcard address. */
static uintptr_t listener(const struct sockaddr *a, socklen_t n)
{
    uint64_t h = 0x4000000000ull;
    if (a->sa_family == AF_INET)
        h += ((const struct sockaddr_in *)(const void *)a)->sin_port;
    else if (a->sa_family == AF_INET6)
        h += ((const struct sockaddr_in6 *)(const void *)a)->sin6_port;
    else if (a->sa_family == AF_UNIX && n > offsetof(struct sockaddr_un, sun_path))
        h += hash_bytes(a, offsetof(struct sockaddr_un, sun_path) + 1);
    return address(fold(h));
}

void sn_fd_connecting(struct sn_thread *t, const struct sockaddr *to, socklen_t n, uintptr_t pc)
{
    if (to && n >= sizeof to->sa_family)
        SN_EMIT(t, RELEASE_MERGE, .addr = listener(to, n), .pc = pc);
}

void sn_fd_accepted(struct sn_thread *t, int listening, uintptr_t pc)
{
    struct sockaddr_storage here = {0};
    socklen_t n = sizeof here;
    if (sn_sys3(SYS_getsockname, listening, &here, &n) == 0)
        SN_EMIT(t, ACQUIRE, .addr = listener((const struct sockaddr *)&here, n), .pc = pc);
}
