/* sys.c: the few system services that the runtime and the engines use, without libc. */
#include "core/sys.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "core/decimal.h"

void *sn_map(size_t bytes)
{
    long p = sn_sys6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return (unsigned long)p >= (unsigned long)-4095 ? 0 : (void *)p;
}

void sn_unmap(void *p, size_t bytes)
{
    sn_sys2(SYS_munmap, p, bytes);
}

void *sn_map_aligned(size_t bytes, size_t align)
{
    char *p = sn_map(bytes + align);
    if (!p)
        return 0;
    size_t skip = -(uintptr_t)p & (align - 1);
    if (skip)
        sn_unmap(p, skip);
    if (skip < align)
        sn_unmap(p + skip + bytes, align - skip);
    return p + skip;
}

void sn_map_clear(void *p, size_t bytes)
{
    sn_sys3(SYS_madvise, p, bytes, MADV_DONTNEED);
}

/* Of Linux 5.14 and 6.1; headers may be older than the kernel. */
enum { POPULATE_WRITE = 23, COLLAPSE = 25 };

bool sn_map_fill(void *p, size_t bytes)
{
    return sn_sys3(SYS_madvise, p, bytes, POPULATE_WRITE) == 0;
}

bool sn_map_huge(void *p)
{
    return sn_sys3(SYS_madvise, p, SN_HUGE_PAGE, COLLAPSE) == 0;
}

uint64_t sn_file_limit(void)
{
    struct rlimit limit;
    return sn_sys2(SYS_getrlimit, RLIMIT_FSIZE, &limit) < 0 ? UINT64_MAX : limit.rlim_cur;
}

uint64_t sn_now_ns(void)
{
    struct timespec ts;
    sn_sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void sn_sleep_us(uint64_t us)
{
    struct timespec ts = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    sn_sys2(SYS_nanosleep, &ts, 0);
}

void sn_cpu_relax(void)
{
    __builtin_ia32_pause();
}

/* A pause takes 10 to 140 cycles, by processor. In a virtual machine a contended lock changes hands a
 * third faster by this than by as many pauses in a loop. */
void sn_cpu_wait(unsigned ticks)
{
    uint64_t begin = __builtin_ia32_rdtsc();
    do
        __builtin_ia32_pause();
    while (__builtin_ia32_rdtsc() - begin < ticks);
}

static void put(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    sn_sys3(SYS_write, 2, s, n);
}

void sn_assert_failed(const char *what, const char *file, int line)
{
    char digits[SN_DECIMAL];
    sn_decimal(digits, (unsigned)line);
    put("snag: internal check failed: ");
    put(what);
    put(" at ");
    put(file);
    put(":");
    put(digits);
    put("\n");
    sn_sys1(SYS_exit_group, 125);
    __builtin_unreachable();
}
