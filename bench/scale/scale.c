/*
 * scale.c: what one operation costs, by the number of threads, of locks, and by the age of the program.
 *
 *     scale threads N     N threads are alive and know of each other; each measures for itself
 *     scale locks N       one thread of two uses N locks in turn
 *     scale age N         one thread of two, after N thousand critical sections
 *
 * Prints nanoseconds of the thread's own processor time for one operation, the least of several
 * rounds: other programs on the machine change it little. The operations:
 *
 *     again    write of a word that was written in the same epoch
 *     first    write of a word for the first time in an epoch, without the lock and unlock that began it
 *     shared   read of a word that all threads read
 *     lock     pthread_mutex_lock and _unlock of a lock that no other thread uses
 *     taken    the same of a lock that another thread had before
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, WORDS = 64, REPEAT = 2000, OPERATIONS = 5, MOST_LOCKS = 10000 };

/* Padded: neighbours must not share a line of the cache. */
struct lock {
    _Alignas(64) pthread_mutex_t mutex;
    uint64_t data;
};

struct worker {
    pthread_t thread;
    long number;
    double least[OPERATIONS];
    _Alignas(64) uint64_t own[WORDS];
};

static pthread_barrier_t meeting;
static struct lock *locks, *handed;
static long nlocks = 1, nthreads = 2, age;
static uint64_t table[WORDS];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void keep_least(double *least, double ns, long operations)
{
    ns /= (double)operations;
    if (*least == 0 || ns < *least)
        *least = ns;
}

static void lock_unlock(struct lock *l)
{
    pthread_mutex_lock(&l->mutex);
    pthread_mutex_unlock(&l->mutex);
}

static double measure_writes(volatile uint64_t *own)
{
    double start = now();
    for (int k = 0; k < REPEAT; k++)
        for (int i = 0; i < WORDS; i++)
            own[i] = (uint64_t)k;
    return now() - start;
}

static double measure_reads(const volatile uint64_t *from)
{
    uint64_t sum = 0;
    double start = now();
    for (int k = 0; k < REPEAT; k++)
        for (int i = 0; i < WORDS; i++)
            sum += from[i];
    double took = now() - start;
    return sum == 1 ? 0 : took;
}

/* `writes` of them in each critical section. */
static double measure_sections(struct lock *first, long count, volatile uint64_t *own, int writes)
{
    double start = now();
    for (long k = 0; k < REPEAT; k++) {
        struct lock *l = &first[k % count];
        pthread_mutex_lock(&l->mutex);
        for (int i = 0; i < writes; i++)
            own[i] = (uint64_t)k;
        l->data++;
        pthread_mutex_unlock(&l->mutex);
    }
    return now() - start;
}

/* A lock goes round: thread after thread has it, so each finds another's clock in it. */
static double measure_taken(struct worker *w)
{
    double took = 0;
    for (int k = 0; k < 100; k++) {
        pthread_barrier_wait(&meeting);
        struct lock *l = &handed[(w->number + k) % nthreads];
        double start = now();
        lock_unlock(l);
        took += now() - start;
    }
    return took;
}

static void measure(struct worker *w)
{
    long count = nlocks, first = nlocks > 1 ? 0 : w->number;
    measure_writes(w->own);
    keep_least(&w->least[0], measure_writes(w->own), (long)REPEAT * WORDS);
    double without = measure_sections(&locks[first], count, w->own, 0);
    double with = measure_sections(&locks[first], count, w->own, WORDS);
    keep_least(&w->least[1], with > without ? with - without : 1, (long)REPEAT * WORDS);
    keep_least(&w->least[2], measure_reads(table), (long)REPEAT * WORDS);
    keep_least(&w->least[3], without, REPEAT);
}

static void grow_old(struct worker *w)
{
    for (long k = 0; k < age * 1000; k++) {
        struct lock *l = &locks[w->number];
        pthread_mutex_lock(&l->mutex);
        l->data++;
        w->own[k % WORDS]++;
        pthread_mutex_unlock(&l->mutex);
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    grow_old(w);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&meeting); /* now all know of each other */
        if (nlocks == 1 || w->number == 0)
            measure(w);
        keep_least(&w->least[4], measure_taken(w), 100);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median thread's. */
static double of_threads(const struct worker *w, int operation)
{
    static double all[1024];
    long n = nlocks == 1 ? nthreads : 1;
    for (long i = 0; i < n; i++)
        all[i] = w[i].least[operation];
    qsort(all, (size_t)n, sizeof *all, compare);
    return all[n / 2];
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long n = atol(argv[2]);
    if (!strcmp(argv[1], "threads"))
        nthreads = n;
    else if (!strcmp(argv[1], "locks"))
        nlocks = n;
    else
        age = n;
    if (nthreads < 1 || nthreads > 1024 || nlocks < 1 || nlocks > MOST_LOCKS)
        return 2;
    long have = nlocks > nthreads ? nlocks : nthreads;
    locks = aligned_alloc(64, (size_t)have * sizeof *locks);
    handed = aligned_alloc(64, (size_t)nthreads * sizeof *handed);
    struct worker *w = aligned_alloc(64, (size_t)nthreads * sizeof *w);
    for (long i = 0; i < have; i++)
        pthread_mutex_init(&locks[i].mutex, NULL), locks[i].data = 0;
    for (long i = 0; i < nthreads; i++)
        pthread_mutex_init(&handed[i].mutex, NULL);
    memset(w, 0, (size_t)nthreads * sizeof *w);
    pthread_barrier_init(&meeting, NULL, (unsigned)nthreads);
    for (long i = 0; i < nthreads; i++) {
        w[i].number = i;
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    for (long i = 0; i < nthreads; i++)
        pthread_join(w[i].thread, NULL);
    for (int i = 0; i < OPERATIONS; i++)
        printf("%.1f%c", of_threads(w, i), i + 1 < OPERATIONS ? ' ' : '\n');
    return 0;
}
