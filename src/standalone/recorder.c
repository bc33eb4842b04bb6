/* recorder.c: see recorder.h. A library finds the main program's state by the kernel's auxiliary
 * vector. */
#include "recorder.h"

#include <elf.h>
#include <fcntl.h>

#include "core/sys.h"
#include "standalone.h"

enum {
    REGION = 1 << SN_REC_REGION_BITS,
    BLOCK = 64,
    WORDS = SN_SA_SCALE * REGION,
    PART = SN_HUGE_PAGE / SN_SA_SCALE,      /* of the program: its words fill a huge page */
    ENOUGH = 1024,                          /* blocks of a part in use that make it worth one */
    MAPPED = WORDS + REGION / BLOCK + 4096, /* words, marks, blocks in use of each part */
};

__attribute__((visibility("default"))) struct sn_sa_state sn_sa_own;
struct sn_sa_state *sn_sa_shared;
void *sn_sa_crowded;
extern struct sn_sa_config sn_sa_config __attribute__((visibility("hidden")));

static const Elf64_Phdr *main_headers(uint64_t *n)
{
    Elf64_auxv_t v[64];
    const Elf64_Phdr *p = 0;
    long fd = sn_sys3(SYS_open, "/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
    long bytes = fd < 0 ? 0 : sn_sys3(SYS_read, fd, v, sizeof v);
    if (fd >= 0)
        sn_sys1(SYS_close, fd);
    *n = 0;
    for (long i = 0; i < bytes / (long)sizeof *v; i++) {
        if (v[i].a_type == AT_PHDR)
            p = (const Elf64_Phdr *)v[i].a_un.a_val;
        if (v[i].a_type == AT_PHNUM)
            *n = v[i].a_un.a_val;
    }
    return p;
}

/* The state of the main program; its own when the main program is not guarded. */
static struct sn_sa_state *of_main_program(void)
{
    uint64_t n;
    const Elf64_Phdr *p = main_headers(&n), *state = 0;
    uintptr_t bias = 0;
    for (uint64_t i = 0; p && i < n; i++) {
        if (p[i].p_type == PT_PHDR)
            bias = (uintptr_t)p - p[i].p_vaddr;
        if (p[i].p_type == SN_SA_PHDR)
            state = &p[i];
    }
    return state ? (struct sn_sa_state *)(bias + state->p_vaddr) : 0;
}

/* Whoever colours says so first: one of the two sees the other. */
static void let_be_fast(struct sn_sa_state *s, uintptr_t *dir)
{
    __atomic_store_n(&s->fast, dir, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&s->ncolours, __ATOMIC_SEQ_CST))
        __atomic_store_n(&s->fast, 0, __ATOMIC_SEQ_CST);
}

SN_NOINLINE struct sn_sa_state *sn_sa_find(void)
{
    struct sn_sa_state *s = sn_sa_config.is_library ? of_main_program() : 0;
    uintptr_t *none = 0, *dir;
    if (!s)
        s = &sn_sa_own;
    if (!__atomic_load_n(&s->dir, __ATOMIC_ACQUIRE)) {
        dir = sn_map(SN_REC_DIR * sizeof *dir);
        if (!dir || !__atomic_compare_exchange_n(&s->dir, &none, dir, 0, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_ACQUIRE))
            sn_unmap(dir, SN_REC_DIR * sizeof *dir);
        else
            let_be_fast(s, dir);
    }
    if (!__atomic_load_n(&s->dir, __ATOMIC_ACQUIRE))
        return 0;
    __atomic_store_n(&sn_sa_shared, s, __ATOMIC_RELEASE);
    return s;
}

SN_NOINLINE sn_rec_word *sn_sa_map(uintptr_t *dir, uintptr_t addr)
{
    uintptr_t *entry = &dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)], none = 0;
    char *p = sn_map_aligned(MAPPED, SN_HUGE_PAGE);
    if (!p)
        return 0;
    uintptr_t bias = (uintptr_t)p - SN_SA_SCALE * (addr & ~(uintptr_t)(REGION - 1));
    if (!__atomic_compare_exchange_n(entry, &none, bias, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        sn_unmap(p, MAPPED);
        bias = none;
    }
    return sn_sa_in_region(bias, addr);
}

sn_rec_word *sn_sa_coloured(const struct sn_sa_state *s, uintptr_t addr)
{
    for (uint32_t i = 0; i < s->ncolours; i++)
        if (addr >= s->colour[i].low && addr < s->colour[i].high)
            for (uint32_t j = 0; j <= i; j++)
                if (s->colour[j].group == s->colour[i].group)
                    return (sn_rec_word *)&s->coloured[j];
    return 0;
}

__attribute__((visibility("default"))) void __snag_colour(unsigned long group, const void *p,
                                                          size_t size);
void __snag_colour(unsigned long group, const void *p, size_t size)
{
    struct sn_sa_state *s = sn_sa_shared ? sn_sa_shared : sn_sa_find();
    uint32_t n = s ? s->ncolours : SN_SA_COLOURS;
    if (n == SN_SA_COLOURS)
        return;
    s->colour[n].low = (uintptr_t)p;
    s->colour[n].high = (uintptr_t)p + size;
    s->colour[n].group = group;
    __atomic_store_n(&s->ncolours, n + 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&s->fast, 0, __ATOMIC_SEQ_CST); /* let_be_fast() */
}

/* The marks of a region stand behind its words. */
static uint8_t *mark_of(uintptr_t bias, uintptr_t addr)
{
    uintptr_t region = addr & ~(uintptr_t)(REGION - 1);
    return (uint8_t *)(bias + SN_SA_SCALE * region + WORDS + (addr - region) / BLOCK);
}

/* Behind the marks. */
static uint32_t *blocks_of(uintptr_t bias, uintptr_t addr)
{
    uintptr_t region = addr & ~(uintptr_t)(REGION - 1);
    return (uint32_t *)(bias + SN_SA_SCALE * region + WORDS + REGION / BLOCK) +
           (addr - region) / PART;
}

/* Most of the recorder's cost is waiting for it, much of that for the addresses of its pages. */
void sn_sa_mark(uintptr_t addr)
{
    uintptr_t bias = sn_sa_shared->dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
    uint8_t *mark = bias ? mark_of(bias, addr) : 0;
    if (!mark || *mark)
        return;
    *mark = 1;
    if (__atomic_add_fetch(blocks_of(bias, addr), 1, __ATOMIC_RELAXED) == ENOUGH)
        __atomic_store_n(&sn_sa_crowded, sn_sa_in_region(bias, addr & -(uintptr_t)PART),
                         __ATOMIC_RELAXED);
}

void sn_sa_gather(void)
{
    void *part = __atomic_exchange_n(&sn_sa_crowded, 0, __ATOMIC_RELAXED);
    if (part)
        sn_map_huge(part);
}

static void forget_words(uintptr_t bias, uintptr_t addr, uintptr_t end)
{
    for (uintptr_t a = addr & ~(uintptr_t)(SN_REC_GRAIN - 1); a < end; a += SN_REC_GRAIN)
        __atomic_store_n(sn_sa_in_region(bias, a), 0, __ATOMIC_RELAXED);
}

/* Within one region. The mark of a block goes when all of its words have gone. */
static void forget_part(uintptr_t bias, uintptr_t addr, uintptr_t end)
{
    enum { AT_ONCE = 8 * BLOCK };
    while (addr < end) {
        uintptr_t next = (addr & ~(uintptr_t)(BLOCK - 1)) + BLOCK;
        uint8_t *mark = mark_of(bias, addr);
        if (addr % AT_ONCE == 0 && end - addr >= AT_ONCE && !*(const uint64_t *)mark) {
            addr += AT_ONCE;
            continue;
        }
        next = next > end ? end : next;
        if (*mark) {
            forget_words(bias, addr, next);
            if (next - addr == BLOCK)
                *mark = 0;
        }
        addr = next;
    }
}

void sn_sa_forget(uintptr_t addr, uint64_t size)
{
    struct sn_sa_state *s = sn_sa_shared;
    uintptr_t end = addr + size;
    if (!s)
        return;
    while (addr < end) {
        uintptr_t next = (addr & ~(uintptr_t)(REGION - 1)) + REGION;
        uintptr_t bias = s->dir[(addr >> SN_REC_REGION_BITS) & (SN_REC_DIR - 1)];
        next = next > end ? end : next;
        if (bias)
            forget_part(bias, addr, next);
        addr = next;
    }
}
