/* ctx_test.c: contexts of programs that have very many of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/ctx.h"
#include "core/ctx_cache.h"

enum { PLACES = 10, ROUNDS = 400000, SITES = 40, CALLS = 3000000, FEW = 1 << 21 };

static uint64_t seed = 1;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % n;
}

/* The eight bytes of a granule, written one after the other at any of ten places. Of the last two
 * it is always known where they were; of the others there may be nothing, but nothing false. */
static void test_bytes(void **state)
{
    static struct sn_ctx_entry cache[SN_CTX_CACHE];
    static struct sn_thread t = {.cache = cache};
    uint32_t leaf[PLACES], where[8], lost = 0;
    (void)state;
    for (unsigned i = 0; i < PLACES; i++)
        leaf[i] = sn_ctx_leaf(0, 0x1000 + 16 * i);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t node = where[0] = leaf[pick(PLACES)];
        for (unsigned b = 1; b < 8; b++) {
            where[b] = leaf[pick(PLACES)];
            if (where[b] != node)
                node = sn_ctx_both(&t, node, where[b], 1u << b);
        }
        for (unsigned b = 0; b < 8; b++) {
            uint32_t is = sn_ctx_for_byte(node, b);
            lost += is == 0;
            assert_true(is == where[b] || (!is && b < 6 && round > 1000));
        }
    }
    assert_true(lost > ROUNDS); /* there were too many to keep all */
    uint32_t one = sn_ctx_leaf(0, 0x5000), two = sn_ctx_leaf(0, 0x6000);
    uint32_t both = sn_ctx_both(&t, one, two, 0xf0);
    assert_int_equal(sn_ctx_for_byte(both, 0), one);
    assert_int_equal(sn_ctx_for_byte(both, 7), two);
}

/* A recursion with forty call sites, to any depth: the table does not fill up, and the last frame
 * of a leaf is always its own. */
static void test_recursion(void **state)
{
    uint32_t at[64] = {sn_ctx_child(0, 0x100000)};
    unsigned depth = 0;
    uintptr_t pcs[SN_MAX_STACK];
    (void)state;
    for (unsigned i = 0; i < CALLS; i++) {
        if (depth && (depth == 63 || !pick(3))) {
            depth--;
            continue;
        }
        at[depth + 1] = sn_ctx_child(at[depth], 0x200000 + 8 * pick(SITES));
        depth++;
        assert_true(at[depth] != 0);
        uintptr_t pc = 0x300000 + 8 * pick(4);
        uint32_t leaf = sn_ctx_leaf(at[depth], pc);
        assert_true(leaf != 0 && leaf < FEW);
        assert_true(sn_ctx_stack(leaf, pcs, SN_MAX_STACK) >= 2);
        assert_int_equal(pcs[0], pc);
    }
}

/* A function that calls itself at forty places, at a depth of ten: code that can be read. */
static uint8_t code[SITES][8];

static bool is_code(uintptr_t pc)
{
    return pc >= (uintptr_t)code && pc < (uintptr_t)(code + SITES);
}

static void write_calls(void)
{
    for (int i = 0; i < SITES; i++) {
        int32_t distance = -8 * i - 5; /* to the first byte of all */
        code[i][0] = 0xe8;
        memcpy(&code[i][1], &distance, sizeof distance);
    }
}

static uint32_t call(uint32_t parent, unsigned site)
{
    return sn_ctx_child(parent, (uintptr_t)code[site] + 5);
}

/* With many contexts such a recursion has no frames but the first, so that all of it needs few. */
static void test_inlined_recursion(void **state)
{
    uint32_t most = 0, root = sn_ctx_child(0, 0x400000), other;
    uintptr_t pcs[SN_MAX_STACK];
    (void)state;
    write_calls();
    sn_ctx_is_code = is_code;
    uint32_t before = sn_ctx_leaf(root, 0x500000); /* test_recursion() has made many */
    for (unsigned i = 0; i < CALLS / 30; i++) {
        uint32_t at = call(root, pick(SITES));
        for (unsigned depth = 0; depth < 10; depth++) {
            at = call(at, pick(SITES));
            assert_int_equal(sn_ctx_stack(at, pcs, SN_MAX_STACK), 2);
            assert_int_equal(pcs[1], 0x400000);
        }
        uint32_t leaf = sn_ctx_leaf(at, 0x500000);
        most = leaf > most ? leaf : most;
    }
    assert_true(most - before < SITES * (SITES + 2));
    other = sn_ctx_child(call(root, 0), 0x600000); /* not code: what it calls is not known */
    assert_int_equal(sn_ctx_stack(other, pcs, SN_MAX_STACK), 3);
    sn_ctx_is_code = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_inlined_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
