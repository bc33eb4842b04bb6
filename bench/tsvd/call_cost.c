/*
 * call_cost.c: what a call under a contract costs: threads that each call random_r() on an object
 * of their own. Prints nanoseconds per call of processor time.
 *
 *     call_cost THREADS CALLS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long calls;

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *draw(void *p)
{
    struct random_data data;
    char state[128];
    int32_t number;
    memset(&data, 0, sizeof data);
    initstate_r(1, state, sizeof state, &data);
    double begin = cpu_ns();
    for (long i = 0; i < calls; i++)
        random_r(&data, &number);
    *(double *)p = (cpu_ns() - begin) / (double)calls;
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t thread[64];
    double ns[64], sum = 0;
    calls = argc > 2 ? atol(argv[2]) : 10000000;
    n = n < 1 ? 1 : n > 64 ? 64 : n;
    for (int i = 0; i < n; i++)
        pthread_create(&thread[i], 0, draw, &ns[i]);
    for (int i = 0; i < n; i++) {
        pthread_join(thread[i], 0);
        sum += ns[i];
    }
    printf("%d threads: %.1f ns per call\n", n, sum / n);
    return 0;
}
