/* target.c: a device's tasks, on the host. Threads of clang's library that look for them must not keep an execution going. */
static int x;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : x)
        x = 7;
#pragma omp taskwait
    }
    return x != 7;
}
