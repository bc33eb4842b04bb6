// Sections of one name exclude each other, and so do nested locks. In the bug they have two names.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

static int shared, seen, hinted, nested, tried;
static omp_nest_lock_t lock;

static void good(void)
{
#pragma omp critical(hint) hint(omp_sync_hint_contended)
    hinted++;
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    nested++;
    omp_unset_nest_lock(&lock);
    nested++;
    omp_unset_nest_lock(&lock);
    if (omp_test_nest_lock(&lock)) {
        tried++;
        omp_unset_nest_lock(&lock);
    }
}

static void __attribute__((noinline)) store(void)
{
#pragma omp critical(one)
    shared = 1; // RACE1
    hidden_post(0);
}

static void __attribute__((noinline)) load(void)
{
    hidden_wait(0);
    BUG(
_Pragma("omp critical(two)"))
    FIX(
_Pragma("omp critical(one)"))
    seen = shared; // RACE2
}

int main(void)
{
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        good();
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            store();
        else
            load();
    }
    return hinted != 2 || nested != 4 || tried < 1 || seen != 1;
}
