// Parallel regions, barriers, loops, sections and locks of gcc's OpenMP library, which no hook sees
// inside: what they order is no race. In the bug one thread reads what another writes in a region.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

enum { SIZE = 1000, THREADS = 3 };
static int numbers[SIZE], rounds[16], shared, seen, in_critical, named, in_lock, in_nest, first[2];
static omp_lock_t lock;
static omp_nest_lock_t nest;

static void exclude(void)
{
#pragma omp critical
    in_critical++;
#pragma omp critical(one)
    named++;
    omp_set_lock(&lock);
    in_lock++;
    omp_unset_lock(&lock);
    while (!omp_test_nest_lock(&nest))
        ;
    in_nest++;
    omp_unset_nest_lock(&nest);
}

static void divide(void)
{
#pragma omp for schedule(dynamic, 3) ordered
    for (int i = 0; i < 100; i++) {
#pragma omp ordered
        rounds[i % 16]++;
    }
#pragma omp sections
    {
#pragma omp section
        first[0] = 1;
#pragma omp section
        first[1] = 2;
    }
#pragma omp master
    numbers[0] += first[0] + first[1];
#pragma omp barrier
#pragma omp single
    numbers[0]++;
}

static void mistake(void)
{
    if (omp_get_thread_num() == 0) {
        shared = 1; // RACE1
        hidden_post(0);
    }
    FIX(
_Pragma("omp barrier"))
    if (omp_get_thread_num() == 1) {
        hidden_wait(0);
        seen = shared; // RACE2
    }
}

int main(void)
{
    long sum = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel for num_threads(THREADS)
    for (int i = 0; i < SIZE; i++)
        numbers[i] = i;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 10) reduction(+ : sum)
    for (int i = 0; i < SIZE; i++)
        sum += numbers[SIZE - 1 - i];
#pragma omp parallel num_threads(THREADS)
    {
        exclude();
        divide();
        mistake();
    }
    return sum != 499500 || in_critical != THREADS || named != THREADS || in_lock != THREADS ||
           in_nest != THREADS || numbers[0] != 4 || seen != 1 || rounds[0] != 7;
}
