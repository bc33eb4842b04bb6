/*
 * symbol.c: broken ELF and DWARF must give "unknown", never a crash and never no end. The input is
 * a file; every question that the CLI asks is asked about places all over it.
 *
 * fuzz/symbol_seeds makes small programs to start from.
 *
 * SOURCES: src/symbol/code.c src/symbol/data.c src/symbol/elf.c src/symbol/elfsym.c
 * SOURCES: src/symbol/entry.c src/symbol/local.c src/symbol/location.c src/symbol/map.c
 * SOURCES: src/symbol/module.c src/symbol/name.c src/symbol/separate.c src/symbol/span.c
 * SOURCES: src/symbol/symbol.c src/symbol/type.c src/symbol/unit.c src/symbol/walk.c
 * LIBS: -ldw -lelf -lstdc++
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/elf.h"
#include "symbol/symbol.h"

/* Places asked about in each loaded segment. */
#define PLACES 48
#define SEGMENTS 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void free_stack(struct sn_stack *stack)
{
    for (size_t i = 0; i < stack->n; i++) {
        free(stack->frame[i].function);
        free(stack->frame[i].file);
        free(stack->frame[i].module);
    }
    free(stack->frame);
}

static void free_object(struct sn_object *o)
{
    free(o->name);
    free(o->member);
    free(o->file);
    *o = (struct sn_object){0};
}

static void ask(struct sn_symboliser *s, unsigned module, uint64_t at)
{
    struct sn_stack stack = {0};
    struct sn_object o = {0};
    const uint64_t rsp = 0x7fff00001000;
    sn_symbol_code(s, module, at, true, &stack);
    if (stack.n == 0)
        abort();
    free_stack(&stack);
    if (sn_symbol_data(s, module, at, &o) == 0)
        free_object(&o);
    free(sn_symbol_member(s, module, at));
    for (int i = -4; i < 16; i++) {
        if (sn_symbol_local(s, module, at, rsp, rsp + 64, rsp + i * 8, &o) == 0)
            free_object(&o);
    }
}

static void ask_segment(struct sn_symboliser *s, unsigned module, const Elf64_Phdr *segment)
{
    uint64_t step = segment->p_memsz / PLACES;
    for (uint64_t i = 0; i < PLACES; i++)
        ask(s, module, segment->p_vaddr + i * (step ? step : 1));
}

static void ask_all(struct sn_symboliser *s, unsigned module, const uint8_t *data, size_t size)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    struct sn_object o = {0};
    int left = SEGMENTS;
    for (uint64_t at = 0; at < 64; at += 4) {
        if (sn_symbol_tls(s, module, at, &o) == 0)
            free_object(&o);
    }
    if (size < sizeof header)
        return;
    memcpy(&header, data, sizeof header);
    for (unsigned i = 0; i < header.e_phnum && left > 0; i++) {
        size_t at = header.e_phoff + i * sizeof segment;
        if (at >= size || size - at < sizeof segment)
            return;
        memcpy(&segment, data + at, sizeof segment);
        if (segment.p_type != PT_LOAD)
            continue;
        ask_segment(s, module, &segment);
        left--;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sn_elf_facts facts;
    char path[64];
    unsigned module;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sn_elf_probe(path, &facts);
    struct sn_symboliser *s = sn_symboliser_new();
    if (sn_symbol_module(s, path, NULL, 0, &module) != 0)
        abort();
    ask_all(s, module, data, size);
    sn_symboliser_free(s);
    close(fd);
    return 0;
}

/* A section of the file, so that changes hit what is read and not padding and code. */
static size_t pick_section(const uint8_t *data, size_t size, unsigned *seed, size_t *start)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    memcpy(&header, data, sizeof header);
    if (header.e_shnum == 0)
        return 0;
    size_t at = header.e_shoff + (rand_r(seed) % header.e_shnum) * sizeof section;
    if (at >= size || size - at < sizeof section)
        return 0;
    memcpy(&section, data + at, sizeof section);
    if (section.sh_type == SHT_NOBITS || section.sh_offset >= size ||
        size - section.sh_offset < section.sh_size)
        return 0;
    *start = section.sh_offset;
    return section.sh_size;
}

static void change(uint8_t *byte, unsigned *seed)
{
    static const uint8_t special[] = {0, 1, 0x7f, 0x80, 0xff, 8, 0x3f};
    switch (rand_r(seed) % 4) {
    case 0:
        *byte = rand_r(seed);
        break;
    case 1:
        *byte = special[rand_r(seed) % sizeof special];
        break;
    case 2:
        *byte += rand_r(seed) % 2 ? 1 : -1;
        break;
    default:
        *byte ^= 1u << rand_r(seed) % 8;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t start = 0;
    if (size < sizeof(Elf64_Ehdr) || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t n = pick_section(data, size, &seed, &start);
    if (n == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (int i = 1 + rand_r(&seed) % 6; i > 0; i--)
        change(&data[start + rand_r(&seed) % n], &seed);
    return size;
}
