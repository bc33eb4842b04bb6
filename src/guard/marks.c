/*
 * marks.c: an entry of .snag_ins is two 32-bit numbers: how far it is from itself to a place in the
 * code, and 1 this function, 2 a block begins here, 3 it ends here. A block may end at several
 * places; the last of them counts.
 */
#include "guard/marks.h"

#include <elf.h>
#include <string.h>

#include "guard/invariants.h"

enum kind { FUNCTION = 1, BEGIN, END };

struct entry {
    int32_t distance;
    uint32_t kind;
};

static void choose_range(struct sn_inv *v, int module, uint64_t low, uint64_t high)
{
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].module == module && v->place[i].returns > low &&
            v->place[i].returns <= high)
            v->place[i].chosen = true;
}

static uint64_t place_of(const Elf64_Shdr *sh, const struct entry *e, size_t i)
{
    return sh->sh_addr + i * sizeof *e + (uint64_t)(int64_t)e[i].distance;
}

/* The last end in the same function before the next beginning. */
static uint64_t block_end(const Elf64_Shdr *sh, const struct entry *e, size_t n, uint64_t begin,
                          uint64_t limit)
{
    uint64_t next = limit, end = limit;
    for (size_t i = 0; i < n; i++)
        if (e[i].kind == BEGIN && place_of(sh, e, i) > begin && place_of(sh, e, i) < next)
            next = place_of(sh, e, i);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = place_of(sh, e, i);
        if (e[i].kind == END && at > begin && at <= next && (end == limit || at > end))
            end = at;
    }
    return end;
}

static void read_marks(struct sn_inv *v, int module, const Elf64_Shdr *sh, const struct entry *e,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t at = place_of(sh, e, i);
        const struct sn_function *f = sn_calls_function(sn_keys_calls(v->keys, module), at);
        if (!f || e[i].kind == END)
            continue;
        if (e[i].kind == FUNCTION)
            choose_range(v, module, f->low, f->high);
        else
            choose_range(v, module, at, block_end(sh, e, n, at, f->high));
    }
}

static void read_module(struct sn_inv *v, int module)
{
    const struct sn_calls *c = sn_keys_calls(v->keys, module);
    const Elf64_Ehdr *head = (const void *)c->file;
    if (c->file_bytes < sizeof *head || head->e_shoff >= c->file_bytes ||
        head->e_shoff + (uint64_t)head->e_shnum * sizeof(Elf64_Shdr) > c->file_bytes ||
        head->e_shstrndx >= head->e_shnum)
        return;
    const Elf64_Shdr *sh = (const void *)(c->file + head->e_shoff);
    const Elf64_Shdr *names = &sh[head->e_shstrndx];
    for (unsigned i = 0; i < head->e_shnum; i++) {
        if (names->sh_offset + sh[i].sh_name + sizeof ".snag_ins" > c->file_bytes ||
            strcmp((const char *)c->file + names->sh_offset + sh[i].sh_name, ".snag_ins") != 0 ||
            sh[i].sh_offset > c->file_bytes || sh[i].sh_size > c->file_bytes - sh[i].sh_offset)
            continue;
        read_marks(v, module, &sh[i], (const void *)(c->file + sh[i].sh_offset),
                   sh[i].sh_size / sizeof(struct entry));
    }
}

void sn_inv_marks(struct sn_inv *v)
{
    int last = -1;
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].module > last)
            last = v->place[i].module;
    for (int m = 0; m <= last; m++)
        read_module(v, m);
}
