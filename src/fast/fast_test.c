/*
 * fast_test.c: the looks that are linked into programs, on granules of every kind: what they find
 * was there, and everything else goes on to the library as it came: the address, the place, the
 * granule. What is there is worked out here byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#ifndef __clang__ /* with AddressSanitizer gcc has its own idea of __tsan_func_exit() */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif
#include "fast/fast.c"

#include "fields.h"

enum { MINE = 0x40000, OTHER = 0x50000, SET = 77, GRANULES = 4 };

#ifdef SN_FAST_PROGRAM
uintptr_t snag_dir[8];
#define directory snag_dir
#else
__thread struct sn_race_hot sn_race_hot;
static uintptr_t directory[8];
#endif
static struct sn_granule shadow[GRANULES + 2];
static struct sn_set_cache sets;
static struct sn_thread thread;
static struct sn_call_frame frames[3];
static _Alignas(64) struct sn_field fields[8];

/* What came to the library. */
static struct {
    int kind;  /* 0: nothing; 1: a granule was found; 2: none */
    int field; /* and its field */
    int kept;  /* reads of which are kept */
    int write;
    unsigned size;
    uintptr_t addr, pc, granule;
} got;

static void take(int kind, int write, unsigned size, uintptr_t addr, uintptr_t pc, const void *g)
{
    got.kind = kind;
    got.field = got.kept = 0;
    got.write = write;
    got.size = size;
    got.addr = addr;
    got.pc = pc;
    got.granule = (uintptr_t)g;
}

/* The field is the right one. */
static void take_field(int write, uintptr_t addr, uintptr_t pc, const struct sn_granule *g,
                       const struct sn_field *f, uintptr_t at, unsigned mask)
{
    take(1, write, (unsigned)__builtin_popcount(mask), addr, pc, g);
    assert_int_equal(mask, sn_mask(addr & 7, got.size));
    assert_ptr_equal((void *)at, fields);
    assert_ptr_equal(f, sn_field_at((uint64_t)at << SN_FIELDS_AT, addr & 7));
    assert_int_equal(sn_word_mask(f->w), mask);
    got.field = 1;
}

void snag_read_field(uintptr_t addr, uintptr_t pc, struct sn_granule *g, struct sn_field *f,
                     uintptr_t at, unsigned mask)
{
    take_field(0, addr, pc, g, f, at, mask);
}

void snag_read_kept(uintptr_t addr, uintptr_t pc, struct sn_granule *g, unsigned mask)
{
    take(1, 0, (unsigned)__builtin_popcount(mask), addr, pc, g);
    assert_int_equal(mask, sn_mask(addr & 7, got.size));
    assert_int_equal(addr & (got.size - 1), 0);
    got.kept = 1;
}

void snag_write_field(uintptr_t addr, uintptr_t pc, struct sn_granule *g, struct sn_field *f,
                      uintptr_t at, unsigned mask)
{
    take_field(1, addr, pc, g, f, at, mask);
}

#define LIBRARY(size)                                                                              \
    void snag_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)                       \
    {                                                                                              \
        take(1, 0, size, addr, pc, g);                                                             \
    }                                                                                              \
    void snag_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g)                      \
    {                                                                                              \
        take(1, 1, size, addr, pc, g);                                                             \
    }
#define ANYWHERE(size)                                                                             \
    void __tsan_read##size##_pc(void *p, void *pc);                                                \
    void __tsan_read##size##_pc(void *p, void *pc)                                                 \
    {                                                                                              \
        take(2, 0, size, (uintptr_t)p, (uintptr_t)pc, 0);                                          \
    }                                                                                              \
    void __tsan_write##size##_pc(void *p, void *pc);                                               \
    void __tsan_write##size##_pc(void *p, void *pc)                                                \
    {                                                                                              \
        take(2, 1, size, (uintptr_t)p, (uintptr_t)pc, 0);                                          \
    }
#define SPAN(size)                                                                                 \
    void snag_unaligned_read##size(uintptr_t addr, uintptr_t pc)                                   \
    {                                                                                              \
        take(2, 0, size, addr, pc, 0);                                                             \
    }                                                                                              \
    void snag_unaligned_write##size(uintptr_t addr, uintptr_t pc)                                  \
    {                                                                                              \
        take(2, 1, size, addr, pc, 0);                                                             \
    }
LIBRARY(1)
LIBRARY(2)
LIBRARY(4)
LIBRARY(8)
ANYWHERE(1)
ANYWHERE(2)
ANYWHERE(4)
ANYWHERE(8)
ANYWHERE(16)
SPAN(2)
SPAN(4)
SPAN(8)
SPAN(16)

static unsigned calls, returns;

void snag_call(uintptr_t caller, uintptr_t rsp, uintptr_t rbp)
{
    (void)caller, (void)rsp, (void)rbp;
    calls++;
}

void snag_return(void)
{
    returns++;
}

void __tsan_write16(void *p);
void __tsan_read16(void *p);
#define DECLARE(size)                                                                              \
    void __tsan_read##size(void *p);                                                               \
    void __tsan_write##size(void *p);
DECLARE(1)
DECLARE(2)
DECLARE(4)
DECLARE(8)

static const struct {
    unsigned size;
    int spans;
    void (*hook[2])(void *p);
} hooks[] = {
    {1, 0, {__tsan_read1, __tsan_write1}},
    {2, 0, {__tsan_read2, __tsan_write2}},
    {4, 0, {__tsan_read4, __tsan_write4}},
    {8, 0, {__tsan_read8, __tsan_write8}},
    {16, 0, {__tsan_read16, __tsan_write16}},
    {2, 1, {__tsan_unaligned_read2, __tsan_unaligned_write2}},
    {4, 1, {__tsan_unaligned_read4, __tsan_unaligned_write4}},
    {8, 1, {__tsan_unaligned_read8, __tsan_unaligned_write8}},
    {16, 1, {__tsan_unaligned_read16, __tsan_unaligned_write16}},
};

/* The program's memory begins at the start of a region; nothing is ever there. */
static const uintptr_t memory = (uintptr_t)5 << SN_REGION_BITS;

static uint64_t random_state = 1;

static uint64_t pick(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

static unsigned some_mask(void)
{
    static const uint8_t usual[] = {0xff, 0x0f, 0xf0, 0x03, 0x30, 0x01, 0x80, 0x7f, 0xfe};
    return pick(2) ? usual[pick(sizeof usual)] : 1 + (unsigned)pick(255);
}

static uint64_t some_word(void)
{
    return pick(4) ? sn_word(pick(3) ? MINE : OTHER, (uint32_t)pick(9), some_mask()) : 0;
}

/* The thread's, or another one that has its place in the cache. */
static uint64_t some_set(void)
{
    return sn_word(SET + 64 * (uint32_t)pick(2), (uint32_t)pick(2), 0);
}

static void fill(struct sn_granule *g)
{
    g->w = some_word();
    g->r = pick(3) ? some_word() : some_set();
    if (!pick(4)) {
        g->w = (uint64_t)(uintptr_t)fields << SN_FIELDS_AT | 0x100 | (pick(3) ? 0 : SN_FIELDS_KEPT);
        g->r = 0;
    }
}

/* The thread has done this to the byte, as far as the granule tells. */
static int has_byte(const struct sn_granule *g, unsigned byte, int write)
{
    unsigned bit = 1u << byte, in_set = (unsigned)sets.member[SET % 64];
    if (sn_word_epoch(g->w) == sn_race_hot.epoch && (g->w & bit))
        return 1;
    if (write)
        return 0;
    if (sn_word_epoch(g->r) == sn_race_hot.epoch && (g->r & bit))
        return 1;
    return sn_word_is_set(g->r) && sn_word_epoch(g->r) == SET && (in_set & bit);
}

/* It has a field of exactly these bytes. */
static int is_field(const struct sn_granule *g, unsigned mask)
{
    return sn_word_is_fields(g->w) && !(__builtin_ctz(mask) & 1) &&
           sn_word_mask(fields[__builtin_ctz(mask) / 2].w) == mask;
}

/* What is read there is in the thread's own records; a whole granule is not kept. */
static int is_kept(const struct sn_granule *g, unsigned mask, int write)
{
    return !write && mask != 0xff && sn_word_is_fields(g->w) && (g->w & SN_FIELDS_KEPT);
}

static int has_field(const struct sn_granule *g, unsigned mask, int write)
{
    const struct sn_field *f = &fields[__builtin_ctz(mask) / 2];
    if (!is_field(g, mask) || is_kept(g, mask, write))
        return 0;
    if (sn_word_epoch(f->w) == MINE || (!write && sn_word_epoch(f->r) == MINE))
        return 1;
    return !write && sn_word_epoch(f->r) == SET && (uint8_t)sets.member[SET % 64] == 0xff;
}

/* Everything is there. One word has to tell it of all bytes of a granule, so what is found may be
 * less. */
static int is_there(uintptr_t addr, unsigned size, int write)
{
    for (unsigned i = 0; i < size; i++)
        if (!has_byte(&shadow[(addr - memory + i) / 8], (addr + i) & 7, write))
            return 0;
    return 1;
}

static unsigned mask_at(const struct sn_granule *g, uintptr_t addr, unsigned size)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < size; i++)
        if (&shadow[(addr - memory + i) / 8] == g)
            mask |= 1u << ((addr + i) & 7);
    return mask;
}

/* One word of each granule tells it. */
static int is_told(uintptr_t addr, unsigned size, int write, int fields_too)
{
    for (uintptr_t at = addr - memory; at < addr - memory + size; at = (at | 7) + 1) {
        const struct sn_granule *g = &shadow[at / 8];
        unsigned mask = mask_at(g, addr, size);
        struct sn_granule w = {g->w, 0}, r = {0, g->r};
        int by_w = 1, by_r = 1;
        for (unsigned byte = 0; byte < 8; byte++)
            if (mask >> byte & 1) {
                by_w &= has_byte(&w, byte, write);
                by_r &= !write && has_byte(&r, byte, 0);
            }
        if (!by_w && !by_r && !(fields_too && has_field(g, mask, write)))
            return 0;
    }
    return 1;
}

/* The library gets the granule with the access, if it has to see to it. */
static int granule_is_told(unsigned hook, int whole)
{
#ifdef SN_FAST_PROGRAM
    if (!sn_race_hot.epoch)
        return 0;
#endif
    return !hooks[hook].spans && hooks[hook].size <= 8 && (hooks[hook].size < 8 || whole);
}

static void try(unsigned hook, uintptr_t addr, int write)
{
    unsigned size = hooks[hook].size, whole = !(addr & (size < 8 ? size - 1 : 7));
    struct sn_granule *g = &shadow[(addr - memory) / 8];
    int field = size <= 8 && whole && has_field(g, sn_mask(addr & 7, size), write);
    memset(&got, 0, sizeof got);
    hooks[hook].hook[write]((void *)addr);
    if (!got.kind) {
        assert_true(field || is_there(addr, size, write));
        return;
    }
    assert_false((whole || hooks[hook].spans) &&
                 is_told(addr, size, write, size <= 8 && !hooks[hook].spans));
    assert_int_equal(got.addr, addr);
    assert_int_equal(got.size, size);
    assert_int_equal(got.write, write);
    assert_true(got.pc - (uintptr_t)try < 4096);
    if (got.kind == 1)
        assert_ptr_equal((void *)got.granule, g);
    assert_int_equal(got.kind, granule_is_told(hook, whole) ? 1 : 2);
    if (got.kind == 1 && whole) {
        unsigned mask = sn_mask(addr & 7, size), kept = (unsigned)is_kept(g, mask, write);
        assert_int_equal(got.kept, kept);
        assert_int_equal(got.field, size < 8 && !kept && is_field(g, mask));
    }
}

static void begin(void)
{
    memset(shadow, 0, sizeof shadow);
    memset(&sets, 0, sizeof sets);
    memset(directory, 0, sizeof directory);
    directory[memory >> SN_REGION_BITS] = (uintptr_t)shadow - 2 * memory;
    sn_race_hot = (struct sn_race_hot){MINE, 7, &sets, &thread, &thread, directory};
    sets.member[SET % 64] = sn_word(SET, 0, 0xff);
}

static void test_finds_what_is_there(void **state)
{
    (void)state;
    begin();
    for (unsigned round = 0; round < 300000; round++) {
        for (unsigned i = 0; i < GRANULES; i++)
            fill(&shadow[i]);
        for (unsigned i = 0; i < 4; i++)
            fields[i] = (struct sn_field){
                sn_word(pick(2) ? MINE : OTHER, 1, pick(2) ? 3u << i * 2 : 1u << i * 2),
                pick(2)   ? sn_word(MINE, 1, 3u << i * 2)
                : pick(2) ? some_set()
                          : 0};
        sets.member[SET % 64] = sn_word(SET, 0, pick(2) ? 0xff : some_mask());
        if (!pick(3))
            shadow[1] = shadow[0];
        unsigned hook = (unsigned)pick(sizeof hooks / sizeof *hooks);
        unsigned size = hooks[hook].size, step = hooks[hook].spans || !pick(8) ? 1 : size;
        uintptr_t addr = memory + pick((GRANULES * 8 - size) / step + 1) * step;
        if (!hooks[hook].spans && size < 8 && (addr & 7) + size > 8)
            continue; /* a program may not; what is seen of it is not exact */
        try(hook, addr, (int)pick(2));
    }
}

/* An epoch of 0, no region, no room: the library's. */
static void test_sees_nothing_of_others(void **state)
{
    (void)state;
    for (unsigned hook = 0; hook < sizeof hooks / sizeof *hooks; hook++)
        for (int write = 0; write < 2; write++) {
            begin();
            sn_race_hot.epoch = 0;
            try(hook, memory, write);
            assert_int_not_equal(got.kind, 0);
            memset(&got, 0, sizeof got);
            sn_race_hot.regions = 0;
            hooks[hook].hook[write]((void *)(memory + 8));
            assert_int_equal(got.kind, 2);
            assert_int_equal(got.addr, memory + 8);
        }
}

/* Only the library knows what is behind the end. */
static void test_calls(void **state)
{
    (void)state;
    begin();
    thread.frames = thread.low = thread.sp = frames;
    thread.frames_end = frames + 3;
    for (unsigned i = 0; i < 5; i++)
        __tsan_func_entry((void *)(uintptr_t)(i + 1));
    assert_int_equal(calls, 2);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(frames[i].pc, i + 1);
        assert_true(frames[i].rsp - (uintptr_t)__builtin_frame_address(0) + 4096 < 8192);
    }
    for (unsigned i = 0; i < 5; i++)
        __tsan_func_exit();
    assert_int_equal(returns, 2);
    assert_ptr_equal(thread.sp, frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_is_there),
        cmocka_unit_test(test_sees_nothing_of_others),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
