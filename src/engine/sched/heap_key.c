/*
 * heap_key.c: glibc marks freed blocks with a random number of the process (tcache_key), so a
 * program that reads freed memory would do another thing in every execution. Here the number
 * becomes a fixed one. It has no name to the outside: it is the only word in libc's data that is
 * also in the second word of a block just freed. When that cannot be said, everything stays as it
 * is.
 */
#include "heap_key.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>

#include "core/sys.h"
#include "runtime/real.h"

#define FIXED_KEY 0x736e61676b657931ull /* no address, as glibc's own most often is none */

struct search {
    uint64_t value;
    uint64_t *found;
    unsigned matches;
};

static bool is_in(const struct dl_phdr_info *m, const ElfW(Phdr) * p, uintptr_t addr)
{
    return addr - (m->dlpi_addr + p->p_vaddr) < p->p_memsz;
}

static bool has(const struct dl_phdr_info *m, uintptr_t addr, uint32_t type)
{
    for (unsigned i = 0; i < m->dlpi_phnum; i++)
        if (m->dlpi_phdr[i].p_type == type && is_in(m, &m->dlpi_phdr[i], addr))
            return true;
    return false;
}

static void scan(const struct dl_phdr_info *m, const ElfW(Phdr) * p, struct search *s)
{
    uintptr_t at = (m->dlpi_addr + p->p_vaddr + 7) & -8ull;
    uintptr_t end = m->dlpi_addr + p->p_vaddr + p->p_memsz;
    for (; at + sizeof s->value <= end; at += sizeof s->value) {
        uint64_t *word = (uint64_t *)at;
        if (*word != s->value || has(m, at, PT_GNU_RELRO))
            continue;
        s->found = word;
        s->matches++;
    }
}

static int visit(struct dl_phdr_info *m, size_t size, void *arg)
{
    (void)size;
    if (!has(m, (uintptr_t)sn_real.malloc, PT_LOAD))
        return 0;
    for (unsigned i = 0; i < m->dlpi_phnum; i++)
        if (m->dlpi_phdr[i].p_type == PT_LOAD && (m->dlpi_phdr[i].p_flags & PF_W))
            scan(m, &m->dlpi_phdr[i], arg);
    return 1;
}

/* What free() leaves in the second word. Read behind the compiler's back: the block is free. */
static uint64_t mark_of(size_t size)
{
    uint64_t *block = sn_real.malloc(size), mark = 0;
    uintptr_t at = (uintptr_t)block;
    if (!block)
        return 0;
    sn_real.free(block);
    __asm__ volatile("movq 8(%1), %0" : "=r"(mark) : "r"(at) : "memory");
    return mark;
}

void sn_heap_key_fix(void)
{
    enum { SMALL = 24, OTHER = 200 };
    struct search s = {.value = mark_of(SMALL)};
    if (!s.value || mark_of(OTHER) != s.value)
        return;
    dl_iterate_phdr(visit, &s);
    if (s.matches != 1)
        return;
    *s.found = FIXED_KEY;
    mark_of(SMALL); /* these two blocks have the old one */
    mark_of(OTHER);
}
