/*
 * lu.c: LU factorisation of a dense matrix in blocks, as the kernel of SPLASH-2 does it: blocks are
 * spread over threads, and a barrier stands between the factorisation of the diagonal block, of its
 * row and column, and the update of the rest. Checks the product, times itself. lu [N [THREADS]]
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 16 };

static unsigned n, blocks, threads;
static double *a, *before;
static pthread_barrier_t step;
static double seconds;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double *block_at(unsigned i, unsigned j)
{
    return a + (size_t)(i * blocks + j) * BLOCK * BLOCK;
}

static int is_mine(unsigned i, unsigned j, unsigned id)
{
    return (i * blocks + j) % threads == id;
}

static void factor(double *d)
{
    for (unsigned k = 0; k < BLOCK; k++)
        for (unsigned i = k + 1; i < BLOCK; i++) {
            d[i * BLOCK + k] /= d[k * BLOCK + k];
            for (unsigned j = k + 1; j < BLOCK; j++)
                d[i * BLOCK + j] -= d[i * BLOCK + k] * d[k * BLOCK + j];
        }
}

static void solve_row(double *b, const double *d)
{
    for (unsigned k = 0; k < BLOCK; k++)
        for (unsigned i = k + 1; i < BLOCK; i++)
            for (unsigned j = 0; j < BLOCK; j++)
                b[i * BLOCK + j] -= d[i * BLOCK + k] * b[k * BLOCK + j];
}

static void solve_column(double *b, const double *d)
{
    for (unsigned i = 0; i < BLOCK; i++)
        for (unsigned k = 0; k < BLOCK; k++) {
            b[i * BLOCK + k] /= d[k * BLOCK + k];
            for (unsigned j = k + 1; j < BLOCK; j++)
                b[i * BLOCK + j] -= b[i * BLOCK + k] * d[k * BLOCK + j];
        }
}

static void update(double *c, const double *left, const double *up)
{
    for (unsigned i = 0; i < BLOCK; i++)
        for (unsigned k = 0; k < BLOCK; k++)
            for (unsigned j = 0; j < BLOCK; j++)
                c[i * BLOCK + j] -= left[i * BLOCK + k] * up[k * BLOCK + j];
}

static void one_step(unsigned k, unsigned id)
{
    if (is_mine(k, k, id))
        factor(block_at(k, k));
    pthread_barrier_wait(&step);
    for (unsigned i = k + 1; i < blocks; i++) {
        if (is_mine(i, k, id))
            solve_column(block_at(i, k), block_at(k, k));
        if (is_mine(k, i, id))
            solve_row(block_at(k, i), block_at(k, k));
    }
    pthread_barrier_wait(&step);
    for (unsigned i = k + 1; i < blocks; i++)
        for (unsigned j = k + 1; j < blocks; j++)
            if (is_mine(i, j, id))
                update(block_at(i, j), block_at(i, k), block_at(k, j));
    pthread_barrier_wait(&step);
}

static void *work(void *arg)
{
    unsigned id = (unsigned)(size_t)arg;
    pthread_barrier_wait(&step);
    double begin = now();
    for (unsigned k = 0; k < blocks; k++)
        one_step(k, id);
    if (id == 0)
        seconds = now() - begin;
    return NULL;
}

static double element(const double *m, unsigned i, unsigned j)
{
    const double *b = m + (size_t)(i / BLOCK * blocks + j / BLOCK) * BLOCK * BLOCK;
    return b[i % BLOCK * BLOCK + j % BLOCK];
}

/* Some rows of L × U against what was there. */
static double error_of(unsigned i)
{
    double worst = 0;
    for (unsigned j = 0; j < n; j += 7) {
        double sum = 0;
        for (unsigned k = 0; k <= i && k <= j; k++)
            sum += (k == i ? 1 : element(a, i, k)) * element(a, k, j);
        worst = fmax(worst, fabs(sum - element(before, i, j)));
    }
    return worst;
}

int main(int argc, char **argv)
{
    pthread_t t[64];
    n = argc > 1 ? (unsigned)atoi(argv[1]) / BLOCK * BLOCK : 512;
    threads = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
    blocks = n / BLOCK;
    a = calloc((size_t)n * n, sizeof *a);
    before = calloc((size_t)n * n, sizeof *before);
    for (size_t i = 0; i < (size_t)n * n; i++)
        a[i] = (double)(i * 2654435761u % 1000) / 1000;
    for (unsigned i = 0; i < n; i++)
        block_at(i / BLOCK, i / BLOCK)[i % BLOCK * BLOCK + i % BLOCK] += n;
    memcpy(before, a, (size_t)n * n * sizeof *a);
    pthread_barrier_init(&step, NULL, threads);
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)(size_t)i);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    double worst = 0;
    for (unsigned i = 0; i < n; i += 31)
        worst = fmax(worst, error_of(i));
    printf("seconds %.4f\nerror %s\n", seconds, worst < 1e-6 * n ? "small" : "LARGE");
    return worst >= 1e-6 * n;
}
