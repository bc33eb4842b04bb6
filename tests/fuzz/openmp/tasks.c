/* tasks.c: tasks that wait for their own, and iterations that wait for others. OpenMP's libraries spin there. */
#include <omp.h>

static int chain[12];

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

int main(void)
{
    int result = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        result = fib(7);
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 1; i < 12; i++) {
#pragma omp ordered depend(sink : i - 1)
            chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
        }
    }
    return result != 13 || chain[11] != 11;
}
