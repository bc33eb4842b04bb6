/*
 * bare_futex.c: the places where gcc's OpenMP library asks the kernel to wait or to wake. All of
 * them are made by two inline functions that first look whether the kernel knows private futexes:
 *
 *     syscall                    jmp stub            stub: the call, by futex.c's hook
 *     cmp $-38, %rax             nop                       cmp $-38, %rax
 *     jne …                      jne …                     jmp behind the nop
 *
 * What does not look like that stays as it is: a thread that waits there is found by the
 * scheduler's monitor, which takes longer and goes by real time.
 *
 * The code is written while the process has one thread: nobody can be in the middle of it.
 */
#include "runtime/bare_futex.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/elf_module.h"
#include "runtime/proc.h"
#include "runtime/real.h"
#include "runtime/syscall.h"

enum {
    MAX_SITES = 128, /* gcc 12's library has 19 */
    SITE_BYTES = 6,
    STUB_BYTES = 32,
    STUBS_AT = 16, /* behind the address of the common entry */
    AREA_BYTES = 8192,
};
_Static_assert(STUBS_AT + MAX_SITES * STUB_BYTES <= AREA_BYTES, "all stubs have room");

__thread uintptr_t sn_bare_futex_caller __attribute__((tls_model("initial-exec")));

void sn_bare_futex_entry(void) __attribute__((visibility("hidden")));

static bool wanted, followed;
static uintptr_t site[MAX_SITES];
static char *area;

/* Libraries lie close to each other, so whatever the kernel has near one is near enough. */
static bool make_area(uintptr_t near)
{
    long p = sn_sys6(SYS_mmap, near - AREA_BYTES, AREA_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ((unsigned long)p >= (unsigned long)-4095)
        return false;
    intptr_t away = (intptr_t)((uintptr_t)p - near);
    if (away < -(1l << 30) || away > 1l << 30) {
        sn_unmap((void *)p, AREA_BYTES);
        return false;
    }
    area = (char *)p;
    *(void **)area = (void *)sn_bare_futex_entry;
    return true;
}

static char *stub_of(uint32_t i)
{
    return area + STUBS_AT + (size_t)i * STUB_BYTES;
}

/* What the code has below its stack pointer is its own (the red zone). */
static void write_stub(uint32_t i)
{
    enum { CALL_END = 11, CODE = 28 };
    unsigned char code[CODE] = {
        0x48, 0x8d, 0x64, 0x24, 0x80,          /* lea -128(%rsp), %rsp */
        0xff, 0x15, 0,    0,    0,    0,       /* call *entry */
        0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0, /* lea 128(%rsp), %rsp */
        0x48, 0x83, 0xf8, 0xda,                /* cmp $-38, %rax */
        0xe9, 0,    0,    0,    0,             /* jmp */
    };
    char *at = stub_of(i);
    int32_t to_entry = (int32_t)(area - (at + CALL_END));
    int32_t back = (int32_t)(site[i] + SITE_BYTES - (uintptr_t)(at + CODE));
    memcpy(code + CALL_END - 4, &to_entry, 4);
    memcpy(code + CODE - 4, &back, 4);
    memcpy(at, code, sizeof code);
}

static void write_site(uint32_t i)
{
    unsigned char code[SITE_BYTES] = {0xe9, 0, 0, 0, 0, 0x90};
    int32_t to = (int32_t)((uintptr_t)stub_of(i) - (site[i] + 5));
    memcpy(code + 1, &to, 4);
    memcpy((void *)site[i], code, sizeof code);
}

static uint32_t find_sites(const char *code, size_t bytes)
{
    static const unsigned char looks[SITE_BYTES] = {0x0f, 0x05, 0x48, 0x83, 0xf8, 0xda};
    uint32_t n = 0;
    for (size_t i = 0; i + SITE_BYTES <= bytes && n < MAX_SITES; i++)
        if (memcmp(code + i, looks, SITE_BYTES) == 0)
            site[n++] = (uintptr_t)code + i;
    return n;
}

static bool take_code(uintptr_t from, size_t bytes)
{
    uint32_t n = find_sites((const char *)from, bytes);
    uintptr_t low = from & -4096ul, high = (from + bytes + 4095) & -4096ul;
    if (!n || !make_area(low))
        return false;
    for (uint32_t i = 0; i < n; i++)
        write_stub(i);
    if (sn_sys3(SYS_mprotect, area, AREA_BYTES, PROT_READ | PROT_EXEC) != 0 ||
        sn_sys3(SYS_mprotect, low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    for (uint32_t i = 0; i < n; i++)
        write_site(i);
    sn_sys3(SYS_mprotect, low, high - low, PROT_READ | PROT_EXEC);
    return true;
}

/* snag itself has such functions, and clang's library, which waits by libc's. */
static bool is_gccs(const struct sn_elf *m)
{
    uintptr_t here = (uintptr_t)is_gccs;
    return (here < m->low || here >= m->high) && sn_elf_find(m, "GOMP_parallel", 0) &&
           !sn_elf_find(m, "__kmpc_fork_call", 0);
}

static int take_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct sn_elf m;
    (void)size, (void)unused;
    if (!sn_elf_read(&m, info) || !is_gccs(&m))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && !followed; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X))
            followed = take_code(info->dlpi_addr + ph->p_vaddr, ph->p_filesz);
    }
    return 1;
}

void sn_bare_futex_begin(void)
{
    wanted = true;
    dl_iterate_phdr(take_module, 0);
}

bool sn_bare_futex_is_followed(void)
{
    if (wanted && !followed && sn_proc_threads() == 1)
        dl_iterate_phdr(take_module, 0);
    return followed;
}

static uintptr_t site_of(uintptr_t stub)
{
    return site[(stub - (uintptr_t)stub_of(0)) / STUB_BYTES] + SITE_BYTES;
}

/* As the kernel answers, and errno is nobody's business there. */
long sn_bare_futex(const long a[6], uintptr_t stub, long number)
{
    if (number != SYS_futex)
        return sn_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    int before = errno;
    long r = sn_syscall_futex(a, sn_bare_futex_caller ? sn_bare_futex_caller : site_of(stub));
    r = r == -1 ? -errno : r;
    errno = before;
    return r;
}
