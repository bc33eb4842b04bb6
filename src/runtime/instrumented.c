/*
 * instrumented.c: finds the module of an address and whether its dynamic symbols ask for __tsan_*.
 *
 * _dl_find_object() takes no lock and may be called anywhere; where libc does not have it (before
 * 2.35), dl_iterate_phdr() does the same more slowly. What was found is kept in a table that is
 * only added to; a thread keeps its own last two answers in front of it.
 */
#include "runtime/instrumented.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>

#include "runtime/hook.h"
#include "runtime/real.h"

enum { MAX_KNOWN = 512 };

struct known {
    struct sn_code_range code;
    bool instrumented;
};

__thread struct sn_code_range sn_last_instrumented, sn_last_plain;
__thread uint32_t sn_last_age;
uint32_t sn_instrumented_age = 1;
int sn_any_instrumented;
static struct known known[MAX_KNOWN] SN_LARGE;
static uint32_t nknown; /* entries below are complete; atomic */
static uint32_t known_age;
static uint32_t adding;

struct module {
    uintptr_t pc;
    struct sn_code_range code;
    const ElfW(Dyn) * dynamic;
    uintptr_t base;
};

static uintptr_t address(const struct module *m, uintptr_t value)
{
    return value < m->base ? m->base + value
                           : value; /* the loader has relocated it, or not (vdso) */
}

/* Symbols that the hash table leaves out come first: those are the undefined ones. */
static uint32_t undefined_count(const uint32_t *gnu_hash, const uint32_t *hash)
{
    if (gnu_hash)
        return gnu_hash[1];
    return hash ? hash[1] : 0;
}

static bool asks_for_tsan(const struct module *m)
{
    const char *names = 0;
    const ElfW(Sym) *symbols = 0;
    const uint32_t *gnu_hash = 0, *hash = 0;
    for (const ElfW(Dyn) *d = m->dynamic; d && d->d_tag != DT_NULL; d++) {
        uintptr_t at = address(m, d->d_un.d_ptr);
        if (d->d_tag == DT_STRTAB)
            names = (const char *)at;
        else if (d->d_tag == DT_SYMTAB)
            symbols = (const ElfW(Sym) *)at;
        else if (d->d_tag == DT_GNU_HASH)
            gnu_hash = (const uint32_t *)at;
        else if (d->d_tag == DT_HASH)
            hash = (const uint32_t *)at;
    }
    for (uint32_t i = 1, n = undefined_count(gnu_hash, hash); names && symbols && i < n; i++) {
        const char *name = names + symbols[i].st_name, *want = "__tsan_";
        while (*want && *name == *want)
            name++, want++;
        if (!*want)
            return true;
    }
    return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *p)
{
    struct module *m = p;
    struct sn_code_range code = {UINTPTR_MAX, 0};
    const ElfW(Dyn) *dynamic = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)from;
        if (ph->p_type != PT_LOAD)
            continue;
        code.low = from < code.low ? from : code.low;
        code.high = from + ph->p_memsz > code.high ? from + ph->p_memsz : code.high;
    }
    if (m->pc - code.low >= code.high - code.low)
        return 0;
    m->code = code;
    m->dynamic = dynamic;
    m->base = info->dlpi_addr;
    return 1;
}

static bool find_module(struct module *m)
{
    struct dl_find_object found;
    if (sn_real._dl_find_object) {
        if (sn_real._dl_find_object((void *)m->pc, &found) != 0)
            return false;
        m->code =
            (struct sn_code_range){(uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end};
        m->dynamic = found.dlfo_link_map->l_ld;
        m->base = found.dlfo_link_map->l_addr;
        return true;
    }
    return dl_iterate_phdr(visit, m) == 1;
}

static void remember(struct known k)
{
    if (__atomic_exchange_n(&adding, 1, __ATOMIC_ACQUIRE))
        return; /* the next one to ask will add it */
    if (known_age != sn_instrumented_age) {
        nknown = 0;
        known_age = sn_instrumented_age;
    }
    if (nknown < MAX_KNOWN) {
        known[nknown] = k;
        __atomic_store_n(&nknown, nknown + 1, __ATOMIC_RELEASE); /* pairs with look_up() */
    }
    __atomic_store_n(&adding, 0, __ATOMIC_RELEASE);
}

static bool look_up(uintptr_t pc, struct known *k)
{
    if (__atomic_load_n(&known_age, __ATOMIC_ACQUIRE) != sn_instrumented_age)
        return false;
    for (uint32_t i = 0, n = __atomic_load_n(&nknown, __ATOMIC_ACQUIRE); i < n; i++)
        if (pc - known[i].code.low < known[i].code.high - known[i].code.low) {
            *k = known[i];
            return true;
        }
    return false;
}

/* Code outside all modules (a JIT, a trampoline) is not instrumented. */
SN_NOINLINE bool sn_instrumented_slow(uintptr_t pc)
{
    struct known k = {0};
    if (!look_up(pc, &k)) {
        struct module m = {.pc = pc};
        if (!find_module(&m))
            return false;
        k = (struct known){m.code, asks_for_tsan(&m)};
        remember(k);
    }
    if (sn_last_age != sn_instrumented_age)
        sn_last_instrumented = sn_last_plain = (struct sn_code_range){0, 0};
    sn_last_age = sn_instrumented_age;
    *(k.instrumented ? &sn_last_instrumented : &sn_last_plain) = k.code;
    return k.instrumented;
}

void sn_instrumented_forget(void)
{
    __atomic_fetch_add(&sn_instrumented_age, 1, __ATOMIC_ACQ_REL);
}
