/*
 * The part of a runtime that locals.c needs: keeps the registers that every instrumented function
 * had when it called __tsan_func_entry. probe() prints, for the function that calls it: its return
 * address as ELF vaddr, its rsp and rbp, the address, and what the test shall find there.
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

static struct {
    uint64_t rsp, rbp;
} stack[64];
static int top;

void hook_enter(uint64_t rsp, uint64_t rbp)
{
    stack[top].rsp = rsp;
    stack[top++].rbp = rbp;
}

EXPORT __attribute__((naked)) void __tsan_func_entry(void)
{
    __asm__("lea 8(%rsp), %rdi\n\tmov %rbp, %rsi\n\tjmp hook_enter");
}

EXPORT void __tsan_func_exit(void)
{
    top--;
}

static void say(void *pc, volatile void *addr, const char *expect)
{
    struct link_map *map = NULL;
    Dl_info info;
    if (!dladdr1(pc, &info, (void **)&map, RTLD_DL_LINKMAP))
        return;
    /* Not loaded anywhere but at 0: a program with fixed addresses. */
    printf("%lx %lx %lx %lx %s\n", (unsigned long)pc - (unsigned long)map->l_addr,
           (unsigned long)stack[top - 1].rsp, (unsigned long)stack[top - 1].rbp,
           (unsigned long)addr, expect);
}

EXPORT void probe(volatile void *addr, const char *expect)
{
    say(__builtin_return_address(0), addr, expect);
}

EXPORT void probe_many(int a, int b, int c, int d, int e, int f, volatile void *addr,
                       const char *expect)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    say(__builtin_return_address(0), addr, expect);
}

#define NOTHING(name)                                                                              \
    EXPORT void name(void)                                                                         \
    {                                                                                              \
    }
NOTHING(__tsan_init)
NOTHING(__tsan_read1)
NOTHING(__tsan_read2)
NOTHING(__tsan_read4)
NOTHING(__tsan_read8)
NOTHING(__tsan_read16)
NOTHING(__tsan_write1)
NOTHING(__tsan_write2)
NOTHING(__tsan_write4)
NOTHING(__tsan_write8)
NOTHING(__tsan_write16)
NOTHING(__tsan_unaligned_read4)
NOTHING(__tsan_unaligned_read8)
NOTHING(__tsan_unaligned_read16)
NOTHING(__tsan_unaligned_write4)
NOTHING(__tsan_unaligned_write8)
NOTHING(__tsan_unaligned_write16)
NOTHING(__tsan_read_range)
NOTHING(__tsan_write_range)
NOTHING(__tsan_read_write1)
NOTHING(__tsan_read_write2)
NOTHING(__tsan_read_write4)
NOTHING(__tsan_read_write8)

EXPORT void *__tsan_memset(void *to, int byte, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *)to)[i] = byte;
    return to;
}

EXPORT void *__tsan_memcpy(void *to, const void *from, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const volatile char *)from)[i];
    return to;
}
