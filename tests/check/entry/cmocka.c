// The tests of a cmocka program: what the library calls is simulated with its set-up.
// EXPECT: data-race WORK/write WORK
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../twin.h"

struct pool {
    int jobs;
    pthread_mutex_t lock;
};

static void *work(void *arg)
{
    struct pool *p = arg;
    FIX(pthread_mutex_lock(&p->lock));
    p->jobs++; // WORK
    FIX(pthread_mutex_unlock(&p->lock));
    return NULL;
}

static int set_up(void **state)
{
    struct pool *p = malloc(sizeof *p);
    p->jobs = 0;
    pthread_mutex_init(&p->lock, NULL);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void nothing(void **state)
{
    (void)state;
    assert_true(1);
}

static void two_workers(void **state)
{
    struct pool *p = *state;
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, p);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(p->jobs, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test_setup_teardown(two_workers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
