// Tasks and taskwait.
// EXPECT: data-race CHILD/write PARENT/read
// FLAGS: -fopenmp

static int fib(int n)
{
    int a = 0, b = 0;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1); // CHILD
#pragma omp task shared(b)
    b = fib(n - 2); // CHILD
#ifdef FIXED
#pragma omp taskwait
#endif
    return a + b; // PARENT
}
// ALLOW: misuse CHILD

int main(void)
{
    int result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(4);
    return result;
}
