// Tasks of gcc's OpenMP library: one begins after its maker has made it and those that it depends on
// have ended; taskwait comes after its maker's. In the bug two tasks have no dependence.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

static int shared, f, g, h, parts[8];

static void __attribute__((noinline)) store(int v)
{
    shared = v; // RACE1
    hidden_post(0);
}

static int __attribute__((noinline)) load(void)
{
    hidden_wait(0);
    return shared; // RACE2
}

static void make(void)
{
    for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
        parts[i] = i;
    }
#pragma omp taskwait
    for (int i = 0; i < 8; i++)
        f += parts[i];
#pragma omp task depend(out : f)
    f++;
#pragma omp task depend(out : g)
    g = 4;
#pragma omp task depend(in : f, g) depend(out : h)
    h = f + g;
#pragma omp taskgroup
    {
#pragma omp task
        parts[0] = 7;
    }
    parts[1] = parts[0];
#pragma omp taskwait
}

/* Both are at work at the same time: each waits for the other to have begun. */
static void mistake(void)
{
    int got = 0;
    BUG(
_Pragma("omp task shared(got)") {
        hidden_meet(1, 2);
        got = load();
    }
_Pragma("omp task") {
        hidden_meet(1, 2);
        store(5);
    })
    FIX(
_Pragma("omp task depend(out : shared)") store(5);
_Pragma("omp task depend(in : shared) shared(got)") got = load();)
_Pragma("omp taskwait")
    g = got;
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        make();
        mistake();
    }
    return h != 33 || g != 5 || parts[1] != 7;
}
