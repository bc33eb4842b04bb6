/* clock_tree_test.c: the trees against plain arrays. */
#include "core/clock_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

enum { THREADS = 64, CLOCKS = 16 };

static uint32_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

static void expect_same(uint32_t tree, const uint32_t *plain)
{
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(sn_clock_tree_get(tree, i), plain[i]);
    assert_true(sn_clock_tree_is_valid(tree, 0, THREADS - 1));
}

static void nothing_is_in_an_empty_tree(void **state)
{
    (void)state;
    assert_int_equal(sn_clock_tree_get(0, 3), 0);
    assert_int_equal(sn_clock_tree_join(0, 0), 0);
    assert_true(sn_clock_tree_is_valid(0, 0, 0));
}

static void an_old_tree_stays_as_it_was(void **state)
{
    (void)state;
    uint32_t a = sn_clock_tree_put(0, 1, 5), b = sn_clock_tree_put(a, 2, 7);
    uint32_t c = sn_clock_tree_put(b, 1, 6);
    assert_int_equal(sn_clock_tree_get(a, 2), 0);
    assert_int_equal(sn_clock_tree_get(b, 1), 5);
    assert_int_equal(sn_clock_tree_get(c, 1), 6);
    assert_int_equal(sn_clock_tree_get(c, 2), 7);
}

static void what_is_known_makes_no_new_tree(void **state)
{
    (void)state;
    uint32_t a = sn_clock_tree_put(sn_clock_tree_put(0, 1, 5), 2, 7);
    assert_int_equal(sn_clock_tree_put(a, 1, 5), a);
    assert_int_equal(sn_clock_tree_put(a, 1, 4), a);
    assert_int_equal(sn_clock_tree_join(a, a), a);
    assert_int_equal(sn_clock_tree_join(a, 0), a);
    assert_int_equal(sn_clock_tree_join(a, sn_clock_tree_put(0, 2, 3)), a);
}

static void threads_in_order_stay_balanced(void **state)
{
    (void)state;
    uint32_t up = 0, down = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        up = sn_clock_tree_put(up, i, 1);
        down = sn_clock_tree_put(down, 5000 - i, 1);
    }
    assert_true(sn_clock_tree_is_valid(up, 0, 4999));
    assert_true(sn_clock_tree_is_valid(down, 1, 5000));
}

/* Random clocks that tick and join, beside arrays that do the same. */
static void trees_are_clocks(void **state)
{
    (void)state;
    static uint32_t tree[CLOCKS], plain[CLOCKS][THREADS];
    uint64_t seed = 88172645463325252ull;
    for (int step = 0; step < 20000; step++) {
        uint32_t a = next(&seed) % CLOCKS, b = next(&seed) % CLOCKS, t = next(&seed) % THREADS;
        if (next(&seed) % 3) {
            plain[a][t] += 1 + next(&seed) % 4;
            tree[a] = sn_clock_tree_put(tree[a], t, plain[a][t]);
        } else if (next(&seed) % 50) {
            tree[a] = sn_clock_tree_join(tree[a], tree[b]);
            for (int i = 0; i < THREADS; i++)
                if (plain[b][i] > plain[a][i])
                    plain[a][i] = plain[b][i];
        } else {
            tree[a] = 0;
            memset(plain[a], 0, sizeof plain[a]);
        }
        if (step % 50 == 0)
            expect_same(tree[a], plain[a]);
    }
    for (int i = 0; i < CLOCKS; i++)
        expect_same(tree[i], plain[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_in_an_empty_tree),
        cmocka_unit_test(an_old_tree_stays_as_it_was),
        cmocka_unit_test(what_is_known_makes_no_new_tree),
        cmocka_unit_test(threads_in_order_stay_balanced),
        cmocka_unit_test(trees_are_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
