/*
 * span_test.c: spans and maps against plain searches over the same random sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symbol/map.h"
#include "symbol/span.h"

static const struct sn_span *search(const struct sn_spans *s, uint64_t at)
{
    const struct sn_span *best = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const struct sn_span *v = &s->v[i];
        if (at < v->low || at >= v->high)
            continue;
        if (!best || v->low > best->low || (v->low == best->low && v->high < best->high) ||
            (v->low == best->low && v->high == best->high && v->rank > best->rank))
            best = v;
    }
    return best;
}

static void innermost_is_found(void **state)
{
    (void)state;
    srandom(7);
    for (int round = 0; round < 200; round++) {
        struct sn_spans s = {0};
        for (uint32_t i = 0; i < 60; i++) {
            uint64_t low = random() % 300;
            sn_spans_add(&s, low, low + random() % (round % 2 ? 10 : 100), i, i);
        }
        sn_spans_sort(&s);
        for (uint64_t at = 0; at < 410; at++) {
            const struct sn_span *found = sn_spans_find(&s, at), *wanted = search(&s, at);
            assert_true((found == NULL) == (wanted == NULL));
            if (found)
                assert_int_equal(found->item, wanted->item);
        }
        sn_spans_free(&s);
    }
}

static void empty_and_reversed_are_left_out(void **state)
{
    struct sn_spans s = {0};
    (void)state;
    sn_spans_sort(&s);
    assert_null(sn_spans_find(&s, 1));
    sn_spans_add(&s, 5, 5, 0, 0);
    sn_spans_add(&s, 9, 3, 0, 0);
    assert_int_equal(s.n, 0);
    sn_spans_add(&s, UINT64_MAX - 1, UINT64_MAX, 4, 0);
    sn_spans_sort(&s);
    assert_int_equal(sn_spans_find(&s, UINT64_MAX - 1)->item, 4);
    assert_null(sn_spans_find(&s, UINT64_MAX));
    sn_spans_free(&s);
}

static void map_keeps_what_was_put(void **state)
{
    struct sn_map m = {0};
    uint32_t value;
    (void)state;
    assert_false(sn_map_get(&m, 0, &value));
    for (uint64_t i = 0; i < 5000; i++)
        sn_map_put(&m, i * 4096, i);
    for (uint64_t i = 0; i < 5000; i++) {
        assert_true(sn_map_get(&m, i * 4096, &value));
        assert_int_equal(value, i);
        assert_false(sn_map_get(&m, i * 4096 + 1, &value));
    }
    sn_map_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(innermost_is_found),
        cmocka_unit_test(empty_and_reversed_are_left_out),
        cmocka_unit_test(map_keeps_what_was_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
