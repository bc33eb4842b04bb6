// Reductions: over a loop, of many variables, over tasks, over a whole region's tasks. In the bug a sum is shared.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

enum { SIZE = 200 };
static long sum, product = 1, most, tasks, all, array[40], shared;
static int together;

static void loops(void)
{
#pragma omp parallel for num_threads(3) reduction(+ : sum) reduction(max : most) reduction(+ : array)
    for (int i = 0; i < SIZE; i++) {
        sum += i;
        most = i > most ? i : most;
        array[i % 40]++;
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp for reduction(* : product) nowait
        for (int i = 0; i < 6; i++)
            product *= 2;
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 6; i++)
            sum++;
#pragma omp single
        sum += product;
    }
}

static void of_tasks(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : tasks)
        for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : tasks)
            tasks += i;
        }
        tasks++;
    }
#pragma omp parallel num_threads(3) reduction(task, + : all)
    {
#pragma omp for
        for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : all)
            all += i;
        }
    }
    all++;
}

/* All stand before it at the same time. */
static void mistake(void)
{
    BUG(
_Pragma("omp parallel num_threads(2)"))
    FIX(
_Pragma("omp parallel num_threads(2) reduction(+ : shared)"))
    {
        hidden_post(1);
        hidden_wait_times(1, 2);
        if (omp_get_thread_num() == 1)
            hidden_wait(2);
        shared++; // RACE1
        hidden_post(2);
    }
}

int main(void)
{
    loops();
    of_tasks();
    mistake();
    together = sum == 199 * 100 + 6 + 64 && most == 199 && array[3] == 5 && tasks == 436 && all == 436;
    return !together || shared != 2;
}
