// A taskwait comes after the children of its task, and not after theirs; a taskgroup after all. In the bug a
// grandchild writes what is read after the taskwait.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

static int shared, seen, result;

static int fib(int n)
{
    int x, y;
    if (n < 2)
        return n;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static void __attribute__((noinline)) store(void)
{
    hidden_post(1);
    shared = 1; // RACE1
    hidden_post(0);
}

static int __attribute__((noinline)) load(void)
{
    hidden_wait(0);
    return shared; // RACE2
}

/* The thread that is going to read runs the child itself and waits in it, so that the grandchild is begun by another:
 * a taskwait may run it, and one thread's accesses are no race. */
static void grandchildren(void)
{
#pragma omp task if (0)
    {
#pragma omp task
        store();
        hidden_wait(1); /* it has begun, elsewhere */
    }
}

static void mistake(void)
{
    BUG(grandchildren();)
    FIX(
_Pragma("omp taskgroup") grandchildren();)
#pragma omp taskwait
    seen = load();
}

int main(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        result = fib(9);
        mistake();
    }
    return result != 34 || seen != 1;
}
