/* cost_test.c: what guarding is estimated to cost, and what a budget leaves out. */
#include "guard/invariants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* One place a group, each guarded, in a function of its own that cannot be compiled anew. */
static void make(struct sn_inv *v, size_t n, const uint64_t *count)
{
    sn_inv_init(v, "prog");
    for (uint32_t i = 1; i <= n; i++) {
        char key[] = {'p', '!', (char)('a' + i), 0};
        assert_int_equal(sn_inv_place(v, key), i);
        v->place[i].count = count[i - 1];
        v->place[i].kept = v->place[i].needed = true;
        v->place[i].group = i;
        v->time.accesses += count[i - 1];
    }
    v->time.system_us = 2000000;
}

static void test_frequent_places_cost_less(void **state)
{
    struct sn_inv v;
    (void)state;
    make(&v, 2, (uint64_t[]){1000000, 1000});
    double often = sn_inv_cost_of(&v, 1) / 1000000, seldom = sn_inv_cost_of(&v, 2) / 1000, gone;
    assert_true(often > 0 && seldom > 2 * often);
    assert_true(sn_inv_cost(&v, &gone) > 1000000 * often);
    assert_true(gone == 0);
    v.place[1].light = true;
    assert_true(sn_inv_cost_of(&v, 1) / 1000000 < often);
    sn_inv_clear(&v);
}

/* A run that only counted says what training's own time hides. */
static void test_speed(void **state)
{
    struct sn_inv v;
    (void)state;
    make(&v, 1, (uint64_t[]){1000000});
    assert_true(sn_inv_run_ms(&v) == 0);
    double slow = sn_inv_cost_of(&v, 1);
    v.speed = (struct sn_inv_time){.accesses = 500000, .user_us = 200000, .system_us = 50000};
    v.speed_runs = 5;
    double ms = sn_inv_run_ms(&v), fast = sn_inv_cost_of(&v, 1);
    assert_true(ms > 45 && ms < 50); /* counting took some of 250 ms in five runs */
    assert_true(fast > 3.9 * slow &&
                fast < 4.1 * slow); /* half the accesses in an eighth of the time */
    v.speed.user_us = v.speed.system_us = 0;
    assert_true(sn_inv_run_ms(&v) == 0);
    assert_true(sn_inv_cost_of(&v, 1) > fast); /* and never endless */
    sn_inv_clear(&v);
}

static void test_gone_calls(void **state)
{
    struct sn_inv v;
    double gone, more;
    (void)state;
    make(&v, 3, (uint64_t[]){1000, 1000, 1000});
    v.place[2].kept = v.place[3].kept = false;
    sn_inv_cost(&v, &gone);
    assert_true(gone > 0);
    v.place[1].function = v.place[2].function = 1; /* something is guarded beside it */
    v.place[3].function = 3;
    sn_inv_cost(&v, &more);
    assert_true(more > 0 && more < gone);
    v.place[2].function = 2;
    sn_inv_cost(&v, &more);
    assert_true(more == 0);
    sn_inv_clear(&v);
}

static void test_budget(void **state)
{
    struct sn_inv v;
    bool must[4] = {false};
    (void)state;
    make(&v, 3, (uint64_t[]){1000000, 1000, 10});
    double cheap = sn_inv_cost_of(&v, 2) + sn_inv_cost_of(&v, 3);
    bool *drop = sn_inv_too_much(&v, 100, must);
    assert_false(drop[1] || drop[2] || drop[3]);
    free(drop);
    for (uint32_t i = 1; i <= 3; i++)
        v.place[i].function = i;
    drop = sn_inv_too_much(&v, cheap * 1.001, must);
    assert_true(drop[1] && !drop[2] && !drop[3]);
    free(drop);
    /* half of it goes to the calls that are gone, where they stay as NOPs */
    v.place[1].function = 0;
    drop = sn_inv_too_much(&v, cheap * 1.001, must);
    assert_true(drop[1] && drop[2] && !drop[3]);
    free(drop);
    drop = sn_inv_too_much(&v, cheap * 2.002, must);
    assert_true(drop[1] && !drop[2] && !drop[3]);
    free(drop);
    must[1] = true;
    drop = sn_inv_too_much(&v, cheap * 1.001, must);
    assert_true(!drop[1] && drop[2] && drop[3]);
    free(drop);
    sn_inv_clear(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequent_places_cost_less),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_gone_calls),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
