// Iterations that wait for others (`ordered depend`), in one dimension and in two. In the bug an iteration waits
// for another than the one that it needs.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global row
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

enum { N = 40, M = 6 };
static int chain[N], grid[M][M], row[N], outside;

static void good(void)
{
#pragma omp for ordered(1) schedule(dynamic, 1)
    for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(2) schedule(static, 1)
    for (unsigned long i = 1; i < M; i++)
        for (long j = 1; j < M; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = 1 + grid[i - 1][j] + grid[i][j - 1];
#pragma omp ordered depend(source)
        }
}

static void __attribute__((noinline)) put(int i)
{
    row[i] = i; // RACE1
    hidden_post(0);
}

static void __attribute__((noinline)) get(int i)
{
    hidden_wait(0);
    outside += row[i]; // RACE2
}

/* The iterations 1 and 2 are of different threads. */
static void mistake(void)
{
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 1; i <= 2; i++) {
        if (i == 1)
            put(1);
#pragma omp ordered depend(sink : PICK(i - 2, i - 1))
        if (i == 2)
            get(1);
#pragma omp ordered depend(source)
    }
}

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        good();
        mistake();
    }
    return chain[N - 1] != N - 1 || grid[1][1] != 1 || grid[2][2] != 5 || outside != 1;
}
