/*
 * shadow_test.c: shadow that fills up, is cleared in ranges of all sizes and fills up again holds
 * what was put there since, and nothing else; blocks of all sizes come back as they were set, from
 * every address inside. The engine's files are compiled in, but report.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "alone.h"
#include "cell.h"
#include "shadow.h"
#include "word.h"

enum { BYTES = 40 << 20, GRANULES = BYTES / 8, ROUNDS = 300 };

static uintptr_t memory; /* addresses only: nothing is ever there */
static uint8_t *full;
static uint64_t random_state = 1;

void sn_race_report(struct sn_thread *t, uintptr_t addr, uint64_t me, unsigned kind,
                    const struct sn_conflicts *with)
{
    (void)t, (void)addr, (void)me, (void)kind, (void)with;
}

static size_t pick(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

static void fill(size_t from, size_t n, size_t step)
{
    for (size_t i = from; i < GRANULES && n--; i += step) {
        uintptr_t addr = memory + i * 8;
        struct sn_granule *g = sn_shadow_get(addr);
        if (!sn_shadow_is_touched(g, addr))
            sn_shadow_touch(addr, sn_shadow_bias(addr));
        g->w = sn_word(7, 1, 0xff);
        g->r = sn_word(8, 1, 0x0f);
        full[i] = 1;
    }
}

static void clear(size_t from, size_t n)
{
    if (n > GRANULES - from)
        n = GRANULES - from;
    sn_shadow_clear(memory + from * 8, n * 8);
    memset(full + from, 0, n);
}

static void check(void)
{
    for (size_t i = 0; i < GRANULES; i++) {
        const struct sn_granule *g = sn_shadow_get(memory + i * 8);
        assert_int_equal(g->w, full[i] ? sn_word(7, 1, 0xff) : 0);
        assert_int_equal(g->r, full[i] ? sn_word(8, 1, 0x0f) : 0);
    }
}

static void holds_what_was_put(void **state)
{
    (void)state;
    check();
    for (int round = 0; round < ROUNDS; round++) {
        size_t from = pick(GRANULES), most = 8u << pick(18);
        if (round % 5 < 3)
            fill(from, pick(most), 1);
        else if (round % 5 == 3)
            fill(from, pick(200), 1 + pick(9000)); /* sparsely */
        else
            clear(from, pick(most));
        if (round % 25 == 24)
            check();
    }
    clear(0, GRANULES);
    check();
}

static int set_up(void **state)
{
    (void)state;
    void *p = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory = (uintptr_t)p;
    full = calloc(1, GRANULES);
    return p == MAP_FAILED || !full;
}

static void block_is(uintptr_t addr, uintptr_t start, size_t size, int freed)
{
    struct sn_block b;
    uintptr_t found;
    assert_true(sn_block_containing(addr, &found, &b));
    assert_int_equal(found, start);
    assert_int_equal(b.size, size);
    assert_int_equal(b.where, (1u << SN_WHERE_BITS) - 1);
    assert_int_equal(b.thread, (1u << 24) - 1);
    assert_int_equal(b.freed, freed);
}

/* The last 16 bytes of a region are among the starts: the word with a large size is in the next. */
static void blocks_come_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 16, 17, 0xfffe, 0xffff, 0x10000, (1 << 20) + 5, 20 << 20};
    static const size_t starts[] = {0, 4096 + 16, SN_REGION_BYTES - 16};
    uintptr_t first = (memory + SN_REGION_BYTES - 1) & ~(uintptr_t)(SN_REGION_BYTES - 1);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned j = 0; j < sizeof starts / sizeof *starts; j++) {
            uintptr_t at = first + starts[j], found;
            struct sn_block b; /* those of the rounds before are freed, and in its way */
            sn_block_set(at, sizes[i], (1u << SN_WHERE_BITS) - 1, (1u << 24) - 1);
            block_is(at, at, sizes[i], 0);
            block_is(at + sizes[i] / 2, at, sizes[i], 0);
            block_is(at + sizes[i] - 1, at, sizes[i], 0);
            if (sn_block_containing(at + sizes[i], &found, &b))
                assert_true(b.freed && found != at);
            assert_false(sn_block_at(at + 16, &b));
            sn_block_set_freed(at);
            block_is(at, at, sizes[i], 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_what_was_put),
                                       cmocka_unit_test(blocks_come_back)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
