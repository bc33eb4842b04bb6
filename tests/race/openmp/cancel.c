// What is cancelled ends early, and what follows comes after it all the same: loops, sections, regions, groups of tasks.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
#include "invisible.h"

enum { SIZE = 300 };
static int numbers[SIZE], found, shared, seen, sum, started;

static void cancelled(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < SIZE; i++) {
            numbers[i] = i;
            if (i == 50) {
#pragma omp atomic write
                found = 1;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp single
        for (int i = 0; i < SIZE; i++)
            sum += numbers[i] > 0;
    }
#pragma omp parallel num_threads(3)
    {
        numbers[omp_get_thread_num()] = 0;
#pragma omp cancel parallel
        numbers[50] = omp_get_thread_num();
    }
    sum += numbers[0] + numbers[1];
}

static void group(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup
        for (int i = 0; i < 40; i++) {
#pragma omp task
            {
#pragma omp atomic
                started++;
                numbers[i] = 1;
#pragma omp cancel taskgroup
            }
        }
        for (int i = 0; i < 40; i++)
            sum += numbers[i];
    }
}

static void mistake(void)
{
#pragma omp parallel num_threads(2)
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
}

int main(int argc, char **argv)
{
    (void)argc;
    if (!omp_get_cancellation()) { /* the library looks when it begins */
        setenv("OMP_CANCELLATION", "true", 1);
        execv("/proc/self/exe", argv);
        return 2;
    }
    cancelled();
    group();
    mistake();
    return !found || sum < 1 || started < 1 || seen != 1;
}
