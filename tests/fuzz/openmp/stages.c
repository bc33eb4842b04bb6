/* stages.c: threads that wait for locks, tasks and each other in gcc's library: who is woken, and when, is the
 * scheduler's choice. */
#include <omp.h>

enum { THREADS = 3 };

static omp_lock_t lock;
static int held, sum, all;

/* The lock is given back between reading and writing. */
static void add_one(void)
{
    omp_set_lock(&lock);
    int seen = held;
#ifndef FIXED
    omp_unset_lock(&lock);
    omp_set_lock(&lock);
#endif
    held = seen + 1;
    omp_unset_lock(&lock);
}

int main(void)
{
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    {
        add_one();
#pragma omp barrier
#pragma omp single
#pragma omp taskloop grainsize(2)
        for (int i = 0; i < 8; i++)
#ifdef FIXED
#pragma omp atomic
#endif
            sum += i;
#pragma omp critical
        all += held;
    }
    return held != THREADS || sum != 28 || all != THREADS * THREADS;
}
