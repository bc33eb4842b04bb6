/*
 * heap.c: whether small blocks come from snag's own heap, and what asks libc about its heap.
 *
 * Not if the program has brought an allocator, nor if it or its user has asked libc's malloc for
 * something that only that can do. Nor if address space is limited: the reservation would be the
 * program's loss.
 *
 * A library that is loaded with a libc of its own, or so that it finds libc before snag, cannot
 * free such blocks, nor can who asks for libc's own free: from then on there are no new ones.
 * dlopen looks at its caller's address, so these two hooks jump.
 */
#include "runtime/heap.h"

#include <string.h>

#include "core/engine.h"
#include "core/options.h"
#include "core/small.h"
#include "runtime/elf_module.h"
#include "runtime/emit.h"
#include "runtime/real.h"

static uint32_t stopped; /* 1: no blocks of snag's; atomic */

static void stop(void)
{
    __atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
    sn_small_stop();
}

/* Modules come in the order in which names are looked up: what stands before snag wins. */
static int defines_some(struct dl_phdr_info *info, size_t size, void *found)
{
    static const char *const names[] = {"malloc",  "calloc",         "realloc",
                                        "free",    "reallocarray",   "memalign",
                                        "valloc",  "posix_memalign", "aligned_alloc",
                                        "pvalloc", "cfree",          "malloc_usable_size"};
    uintptr_t here = (uintptr_t)&stopped;
    struct sn_elf m;
    (void)size;
    if (!sn_elf_read(&m, info))
        return 0;
    if (here - m.low < m.high - m.low)
        return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sn_elf_find(&m, names[i], 0))
            *(bool *)found = true;
    return 0;
}

static bool program_has_malloc(void)
{
    bool found = false;
    dl_iterate_phdr(defines_some, &found);
    return found || !sn_real_malloc_is_libc();
}

static bool space_is_limited(void)
{
    struct rlimit limit = {0, 0};
    sn_sys2(SYS_getrlimit, RLIMIT_AS, &limit);
    return limit.rlim_cur != RLIM_INFINITY;
}

void sn_heap_begin(const char *tunables, bool debugged)
{
    if (!sn_engine_own_heap || !sn_opt.heap || debugged || space_is_limited())
        return;
    if (tunables && strstr(tunables, "glibc.malloc."))
        return;
    if (!program_has_malloc() && !__atomic_load_n(&stopped, __ATOMIC_RELAXED))
        sn_small_init();
}

SN_EXPORT int mallopt(int what, int value)
{
    if (what == M_PERTURB)
        stop();
    return sn_pass(mallopt)(what, value);
}

SN_EXPORT int malloc_trim(size_t pad)
{
    struct sn_thread *t = sn_hook_enter(SN_CALLER);
    int r = sn_pass(malloc_trim)(pad);
    if (!t)
        return r;
    bool ours = sn_small_trim();
    sn_hook_leave(t);
    return r || ours;
}

/* Of snag's heap; nothing when called inside a hook. */
static void count(size_t *in_use, size_t *all, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    *in_use = *all = 0;
    if (!t)
        return;
    sn_small_count(in_use, all);
    sn_hook_leave(t);
}

SN_EXPORT struct mallinfo2 mallinfo2(void)
{
    struct mallinfo2 m = {0};
    size_t in_use, all;
    if (sn_pass(mallinfo2))
        m = sn_real.mallinfo2();
    count(&in_use, &all, SN_CALLER);
    m.arena += all;
    m.uordblks += in_use;
    m.fordblks += all - in_use;
    return m;
}

SN_EXPORT struct mallinfo sn_mallinfo(void) __asm__("mallinfo");

SN_EXPORT struct mallinfo sn_mallinfo(void)
{
    struct mallinfo m = sn_pass(mallinfo)();
    size_t in_use, all;
    count(&in_use, &all, SN_CALLER);
    m.arena += (int)all;
    m.uordblks += (int)in_use;
    m.fordblks += (int)(all - in_use);
    return m;
}

/* Called before the real function. */
void sn_heap_opens(const char *file, int mode) SN_HIDDEN;
void sn_heap_opens_apart(Lmid_t space) SN_HIDDEN;

void sn_heap_opens(const char *file, int mode)
{
    sn_real_init();
    if (mode & RTLD_DEEPBIND || (file && strstr(file, "libc.so.")))
        stop();
}

void sn_heap_opens_apart(Lmid_t space)
{
    sn_real_init();
    if (space != LM_ID_BASE)
        stop();
}

/* Asks `before`, then goes to the real function as if this had not been. */
#define ASK_AND_GO(before, name)                                                                   \
    __asm__("push %%rdi\n\tpush %%rsi\n\tpush %%rdx\n\t"                                           \
            "call " before "\n\t"                                                                  \
            "pop %%rdx\n\tpop %%rsi\n\tpop %%rdi\n\t"                                              \
            "mov sn_real+%c0(%%rip), %%rax\n\t"                                                    \
            "jmp *%%rax"                                                                           \
            :                                                                                      \
            : "i"(offsetof(struct sn_real, name)))

SN_EXPORT __attribute__((naked)) void *dlopen(const char *file __attribute__((unused)),
                                              int mode __attribute__((unused)))
{
    ASK_AND_GO("sn_heap_opens", dlopen);
}

SN_EXPORT __attribute__((naked)) void *dlmopen(Lmid_t space __attribute__((unused)),
                                               const char *file __attribute__((unused)),
                                               int mode __attribute__((unused)))
{
    ASK_AND_GO("sn_heap_opens_apart", dlmopen);
}
