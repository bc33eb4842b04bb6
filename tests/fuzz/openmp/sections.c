/* sections.c: a flag that is set before what it stands for. */
#include <stdio.h>

static int flag, data;

int main(void)
{
    int got = 42;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
#ifdef FIXED
#pragma omp critical
#endif
        {
            flag = 1;
            data = 42;
        }
#pragma omp section
#ifdef FIXED
#pragma omp critical
#endif
        {
            if (flag)
                got = data;
        }
    }
    printf("%d\n", got);
    return got != 42;
}
