// Loops of tasks: every part begins after the loop was come to, and what follows comes after all parts, unless
// the loop has no group. Parts that C++ would call constructors for are copied by other threads.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

enum { SIZE = 400 };
static int numbers[SIZE], doubled[SIZE], shared, seen, last;
static long sum;

static void __attribute__((noinline)) store(void)
{
    shared = 1; // RACE1
    hidden_post(0);
}

static int __attribute__((noinline)) load(void)
{
    hidden_wait(0);
    return shared; // RACE2
}

static void loops(void)
{
    int from = 3;
    for (int i = 0; i < SIZE; i++)
        numbers[i] = i;
#pragma omp taskloop grainsize(2) lastprivate(from)
    for (int i = 0; i < SIZE; i++) {
        doubled[i] = 2 * numbers[i];
        from = i;
    }
    last = from;
    for (int i = 0; i < SIZE; i++)
        numbers[i] = doubled[i];
#pragma omp taskloop num_tasks(50) reduction(+ : sum)
    for (unsigned long long i = 0; i < SIZE; i++)
        sum += numbers[i];
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup firstprivate(from)
        for (int i = 0; i < SIZE; i++)
            numbers[i] = from;
    }
    numbers[0]++;
}

/* Two at work at once: the part that stores, and who comes after the loop. */
static void mistake(void)
{
    FIX(_Pragma("omp taskgroup"))
    {
#pragma omp taskloop nogroup num_tasks(2)
        for (int i = 0; i < 2; i++)
            if (i == 1)
                store();
    }
    seen = load();
}

int main(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
            loops();
            mistake();
        }
    }
    return sum != 399 * 400 || last != 399 || seen != 1 || numbers[0] != 400;
}
