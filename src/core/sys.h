/*
 * sys.h: system calls without libc: no errno, no cancellation point, no interposition. Results are
 * the kernel's: negative errno on failure.
 */
#ifndef SN_CORE_SYS_H
#define SN_CORE_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long sn_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long ret;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
#else
#error "snag's runtime knows x86-64 only so far: add the system call sequence here"
#endif
}

#define sn_sys0(n) sn_syscall6(n, 0, 0, 0, 0, 0, 0)
#define sn_sys1(n, a) sn_syscall6(n, (long)(a), 0, 0, 0, 0, 0)
#define sn_sys2(n, a, b) sn_syscall6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define sn_sys3(n, a, b, c) sn_syscall6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sn_sys4(n, a, b, c, d) sn_syscall6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sn_sys6(n, a, b, c, d, e, f)                                                               \
    sn_syscall6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Zeroed pages that cost nothing until touched; null when refused. Never given back by accident:
 * callers that unmap use sn_unmap(). */
void *sn_map(size_t bytes);
void sn_unmap(void *p, size_t bytes);
/* As sn_map(), beginning at a multiple of align (a power of 2). */
void *sn_map_aligned(size_t bytes, size_t align);
/* Zero a page-aligned range of sn_map()ed memory and give its pages back. */
void sn_map_clear(void *p, size_t bytes);
/* Advice for a range that is about to be written everywhere: its pages at once, or SN_HUGE_PAGE
 * bytes, aligned to that, as one page. False: the kernel cannot or will not. */
enum { SN_HUGE_PAGE = 2 << 20 };
bool sn_map_fill(void *p, size_t bytes);
bool sn_map_huge(void *p);
/* How long the kernel lets this process make a file (ulimit -f). Whoever asks for more gets SIGXFSZ,
 * which ends a program: so snag looks here before it makes one of its own files longer. */
uint64_t sn_file_limit(void);
uint64_t sn_now_ns(void); /* CLOCK_MONOTONIC */
void sn_sleep_us(uint64_t us);
void sn_cpu_relax(void);
void sn_cpu_wait(unsigned ticks); /* of the time stamp counter, 1 to 4 of which are a nanosecond */

/* Asserts stay on in every build: a failed one ends the process with one line through fd 2. */
void sn_assert_failed(const char *what, const char *file, int line) __attribute__((noreturn));
#define sn_assert(x) ((x) ? (void)0 : sn_assert_failed(#x, __FILE__, __LINE__))

#define SN_LIKELY(x) __builtin_expect(!!(x), 1)
#define SN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SN_NOINLINE __attribute__((noinline))
/* A table of which a small program uses little: it lies behind the variables that all use, so that
 * these share few pages (a process that is forked again and again copies each page it writes). */
#define SN_HOT __attribute__((section(".data.z_hot"))) /* these, and every process writes them */
#define SN_LARGE __attribute__((section(".bss.z_large")))
#define SN_EXPORT __attribute__((visibility("default")))
/* On the declaration of a variable that hot code reads: it is then not looked for in the GOT. */
#define SN_HIDDEN __attribute__((visibility("hidden")))

#endif
