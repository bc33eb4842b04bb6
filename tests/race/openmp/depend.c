// Dependences of tasks: those who read come after who wrote and may run together; those of a mutexinoutset come
// one after the other; a taskwait with dependences waits for these alone. In the bug a task that is not a sibling
// has the same dependence, which orders nothing.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

static int shared, seen, a, b, c, sum, tiles[8][8];

static void __attribute__((noinline)) store(void)
{
    shared = 1; // RACE1
    hidden_post(0);
}

static void __attribute__((noinline)) load(void)
{
    hidden_wait(0);
    seen = shared; // RACE2
}

static void kinds(void)
{
#pragma omp task depend(out : a)
    a = 1;
#pragma omp task depend(in : a) depend(out : b)
    b = a + 1;
#pragma omp task depend(in : a) depend(out : c)
    c = a + 2;
    for (int i = 0; i < 8; i++) {
#pragma omp task depend(in : b, c) depend(mutexinoutset : sum)
        sum += b + c;
    }
#pragma omp task depend(inout : a) if (0)
    a++;
#pragma omp taskwait depend(in : sum)
    sum++;
#pragma omp taskwait
}

static void wave(void)
{
    for (int i = 1; i < 8; i++)
        for (int j = 1; j < 8; j++) {
#pragma omp task depend(in : tiles[i - 1][j], tiles[i][j - 1]) depend(out : tiles[i][j])
            tiles[i][j] = 1 + tiles[i - 1][j] + tiles[i][j - 1];
        }
#pragma omp taskwait
}

/* The second is made by another task: not a sibling of the first. */
static void mistake(void)
{
#pragma omp task depend(out : shared)
    {
        BUG(hidden_meet(1, 2);)
        store();
    }
    BUG(
_Pragma("omp task")
_Pragma("omp task depend(in : shared)") {
        hidden_meet(1, 2);
        load();
    })
    FIX(
_Pragma("omp task depend(in : shared)") load();)
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        kinds();
        wave();
        mistake();
    }
    return a != 2 || sum != 41 || seen != 1 || tiles[2][2] != 5;
}
