/* lockorder_test.c: cycles that can deadlock are found, those that cannot are not. Hand-made edges.
 */
#include "store/lockorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "store/xalloc.h"

#define MAX_EDGES 4096
#define MAX_GATES 3
#define SLOTS 16

struct graph {
    size_t n;
    struct sn_run_edge edge[MAX_EDGES];
    struct sn_rec_lock_edge head[MAX_EDGES];
    struct sn_rec_lock gates[MAX_EDGES][MAX_GATES];
    uint32_t clock[MAX_EDGES][SLOTS];
    sn_frame_ref where[MAX_EDGES];
};

static struct graph g;

/* Thread `thread` takes `to` while holding `from`. Every edge is at a place of its own, and by
 * default no thread knows of another one's time. */
static struct sn_rec_lock_edge *add(uint32_t thread, uint32_t from, uint32_t to)
{
    size_t i = g.n++;
    struct sn_rec_lock_edge *h = &g.head[i];
    assert_true(i < MAX_EDGES);
    *h = (struct sn_rec_lock_edge){.from = {.id = from},
                                   .to = {.id = to},
                                   .thread = thread,
                                   .slot = thread % SLOTS,
                                   .epoch = 10,
                                   .ngates = 1,
                                   .nto = 1,
                                   .nclock = SLOTS};
    g.gates[i][0] = h->from;
    memset(g.clock[i], 0, sizeof g.clock[i]);
    g.clock[i][thread % SLOTS] = 10;
    g.where[i] = SN_FRAME(0, 0x1000 + i);
    g.edge[i] = (struct sn_run_edge){h, g.gates[i], &g.where[i], &g.where[i], g.clock[i]};
    return h;
}

static void add_gate(struct sn_rec_lock_edge *h, uint32_t lock, uint32_t shared)
{
    g.gates[h - g.head][h->ngates++] = (struct sn_rec_lock){.id = lock, .shared = shared};
}

struct found {
    unsigned n, longest;
};

static void check_cycle(void *arg, const struct sn_lock_cycle *c)
{
    struct found *f = arg;
    for (unsigned i = 0; i < c->n; i++)
        assert_int_equal(c->edge[i]->head->to.id, c->edge[(i + 1) % c->n]->head->from.id);
    f->n++;
    f->longest = c->n > f->longest ? c->n : f->longest;
}

static struct found search(void)
{
    struct found f = {0};
    assert_true(sn_lock_order(g.edge, g.n, check_cycle, &f));
    g.n = 0;
    return f;
}

static void test_inversion_of_two(void **state)
{
    (void)state;
    add(1, 1, 2);
    add(2, 2, 1);
    assert_int_equal(search().n, 1);
}

static void test_same_order_is_silent(void **state)
{
    (void)state;
    add(1, 1, 2);
    add(2, 1, 2);
    add(2, 2, 3);
    add(1, 1, 3);
    assert_int_equal(search().n, 0);
}

static void test_single_thread_is_silent(void **state)
{
    (void)state;
    add(1, 1, 2);
    add(1, 2, 1);
    assert_int_equal(search().n, 0);
}

static void test_gate_lock_is_silent(void **state)
{
    (void)state;
    add_gate(add(1, 1, 2), 9, 0);
    add_gate(add(2, 2, 1), 9, 0);
    assert_int_equal(search().n, 0);
    add_gate(add(1, 1, 2), 9, 1); /* a gate that one side writes keeps the other out */
    add_gate(add(2, 2, 1), 9, 0);
    assert_int_equal(search().n, 0);
}

static void test_gate_that_both_only_read_is_none(void **state)
{
    (void)state;
    add_gate(add(1, 1, 2), 9, 1);
    add_gate(add(2, 2, 1), 9, 1);
    assert_int_equal(search().n, 1);
}

/* The runtime records an edge when the lock is held already. */
static void test_taken_lock_is_no_gate(void **state)
{
    (void)state;
    add_gate(add(1, 1, 2), 2, 0);
    add_gate(add(2, 2, 1), 1, 0);
    assert_int_equal(search().n, 1);
}

static void test_unknown_time_orders_nothing(void **state)
{
    (void)state;
    add(1, 1, 2)->epoch = 0;
    add(2, 2, 1)->epoch = 0;
    assert_int_equal(search().n, 1);
}

static void test_gates_that_differ_are_none(void **state)
{
    (void)state;
    add_gate(add(1, 1, 2), 8, 0);
    add_gate(add(2, 2, 1), 9, 0);
    assert_int_equal(search().n, 1);
}

/* Thread 2 was created after thread 1 was joined: they cannot overlap. */
static void test_ordered_by_fork_and_join_is_silent(void **state)
{
    (void)state;
    add(1, 1, 2);
    struct sn_rec_lock_edge *later = add(2, 2, 1);
    g.clock[later - g.head][1] = 10;
    assert_int_equal(search().n, 0);
    add(1, 1, 2);
    later = add(2, 2, 1);
    g.clock[later - g.head][1] = 9; /* it knows only of what was before */
    assert_int_equal(search().n, 1);
}

static void test_clock_shorter_than_slot(void **state)
{
    (void)state;
    add(1, 1, 2)->nclock = 0;
    add(2, 2, 1)->nclock = 1;
    assert_int_equal(search().n, 1);
}

static void test_try_lock_cannot_block(void **state)
{
    (void)state;
    add(1, 1, 2)->try_lock = 1;
    add(2, 2, 1);
    assert_int_equal(search().n, 0);
}

static void test_readers_do_not_block_each_other(void **state)
{
    (void)state;
    add(1, 1, 2)->to.shared = 1;
    add(2, 2, 1)->from.shared = 1;
    assert_int_equal(search().n, 0);
    add(1, 1, 2)->to.shared = 1; /* the holder writes */
    add(2, 2, 1);
    assert_int_equal(search().n, 1);
    add(1, 1, 2); /* the taker writes */
    add(2, 2, 1)->from.shared = 1;
    assert_int_equal(search().n, 1);
}

static void test_cycle_of_three(void **state)
{
    (void)state;
    add(1, 1, 2);
    add(2, 2, 3);
    add(3, 3, 1);
    struct found f = search();
    assert_int_equal(f.n, 1);
    assert_int_equal(f.longest, 3);
    add(1, 1, 2);
    add(2, 2, 3);
    add(1, 3, 1); /* two threads are not enough for three */
    assert_int_equal(search().n, 0);
    for (uint32_t t = 1; t <= 3; t++) /* a gate over two of the three */
        add_gate(add(t, t, t % 3 + 1), t < 3 ? 9 : 8, 0);
    assert_int_equal(search().n, 0);
}

static void test_five_philosophers(void **state)
{
    (void)state;
    for (uint32_t t = 1; t <= 5; t++)
        add(t, t, t % 5 + 1);
    struct found f = search();
    assert_int_equal(f.n, 1);
    assert_int_equal(f.longest, 5);
    for (uint32_t t = 1; t <= 4; t++) /* the last one is left-handed: no deadlock */
        add(t, t, t + 1);
    add(5, 1, 5);
    assert_int_equal(search().n, 0);
}

static void test_same_stacks_are_given_out_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        size_t a = (size_t)(add(1, 10 + i, 40 + i) - g.head),
               b = (size_t)(add(2, 40 + i, 10 + i) - g.head);
        g.where[a] = SN_FRAME(0, 1);
        g.where[b] = SN_FRAME(0, 2);
    }
    assert_int_equal(search().n, 1);
}

static void test_long_chain_is_peeled(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 2000; i++)
        add(i % 7, i, i + 1);
    add(8, 2000, 2001);
    add(9, 2001, 2000);
    assert_int_equal(search().n, 1);
}

/* Everybody takes everything in every order: the search ends, and says that it did not see all. */
static void test_work_is_bounded(void **state)
{
    (void)state;
    struct found f = {0};
    for (uint32_t i = 0; i < 60; i++) {
        for (uint32_t k = 0; k < 60; k++) {
            if (i != k)
                add(i, i, k);
        }
    }
    bool complete = sn_lock_order(g.edge, g.n, check_cycle, &f);
    g.n = 0;
    assert_false(complete);
    assert_true(f.n > 0 && f.n <= 1000);
}

static void test_nothing(void **state)
{
    (void)state;
    assert_int_equal(search().n, 0);
    add(1, 5, 5);
    assert_int_equal(search().n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inversion_of_two),
        cmocka_unit_test(test_same_order_is_silent),
        cmocka_unit_test(test_single_thread_is_silent),
        cmocka_unit_test(test_gate_lock_is_silent),
        cmocka_unit_test(test_gate_that_both_only_read_is_none),
        cmocka_unit_test(test_gates_that_differ_are_none),
        cmocka_unit_test(test_taken_lock_is_no_gate),
        cmocka_unit_test(test_unknown_time_orders_nothing),
        cmocka_unit_test(test_ordered_by_fork_and_join_is_silent),
        cmocka_unit_test(test_clock_shorter_than_slot),
        cmocka_unit_test(test_try_lock_cannot_block),
        cmocka_unit_test(test_readers_do_not_block_each_other),
        cmocka_unit_test(test_cycle_of_three),
        cmocka_unit_test(test_five_philosophers),
        cmocka_unit_test(test_same_stacks_are_given_out_once),
        cmocka_unit_test(test_long_chain_is_peeled),
        cmocka_unit_test(test_work_is_bounded),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
