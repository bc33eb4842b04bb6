/* parts.c: threads that leave OpenMP's barriers at the same moment, and tasks: who is first must not matter for a replay. */
#include <stdio.h>

static int hist[4], count, flag, best = -1, last, data, got = 42, out;

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < 16; i++)
#ifdef FIXED
#pragma omp atomic
#endif
            hist[i % 4]++;
#pragma omp single nowait
#ifdef FIXED
#pragma omp atomic write
#endif
        flag = 1;
#pragma omp critical
        count++;
#ifndef FIXED
        if (flag)
            best = count;
        last = count;
#endif
#pragma omp barrier
#pragma omp master
        {
#pragma omp task depend(inout : out)
            out += 1;
#ifdef FIXED
#pragma omp task depend(inout : out)
#else
#pragma omp task
#endif
            out += 2;
        }
    }
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
#pragma omp critical
        data = 42;
#ifndef FIXED
#pragma omp section
        if (data)
            got = data;
#endif
    }
    printf("%d %d %d %d\n", best, last, got, out);
    return hist[0] + hist[1] + hist[2] + hist[3] != 16 || out != 3;
}
