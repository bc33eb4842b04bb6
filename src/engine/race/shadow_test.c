/*
 * shadow_test.c: shadow that fills up, is cleared in ranges of all sizes and fills up again holds
 * what was put there since, and nothing else. The engine's files are compiled in, but report.c.
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_what_was_put)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
