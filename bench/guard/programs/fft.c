/*
 * fft.c: a six-step fast Fourier transform over n = m × m complex points, as the kernel of SPLASH-2
 * does it: rows are spread over threads, a barrier stands between the steps, the matrix is
 * transposed three times. It transforms there and back and compares; times itself. fft [LOG2_M
 * [THREADS]]
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct complex {
    double re, im;
};

static unsigned m, threads;
static struct complex *data, *other, *roots;
static pthread_barrier_t step;
static double seconds;
static double *worst;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct complex times(struct complex a, struct complex b)
{
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void swap_bits(struct complex *row, unsigned n)
{
    for (unsigned i = 0, j = 0; i < n; i++) {
        if (i < j) {
            struct complex t = row[i];
            row[i] = row[j];
            row[j] = t;
        }
        unsigned bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j |= bit;
    }
}

/* One row in place. sign: -1 there, 1 back. */
static void transform_row(struct complex *row, unsigned n, const struct complex *root, int sign)
{
    swap_bits(row, n);
    for (unsigned half = 1; half < n; half *= 2)
        for (unsigned at = 0; at < n; at += 2 * half)
            for (unsigned k = 0; k < half; k++) {
                struct complex w = root[k * (n / 2 / half) * n];
                w.im *= -sign;
                struct complex u = row[at + k], v = times(row[at + k + half], w);
                row[at + k] = (struct complex){u.re + v.re, u.im + v.im};
                row[at + k + half] = (struct complex){u.re - v.re, u.im - v.im};
            }
}

static void transpose(const struct complex *from, struct complex *to, unsigned n, unsigned first,
                      unsigned last)
{
    for (unsigned i = first; i < last; i++)
        for (unsigned j = 0; j < n; j++)
            to[i * n + j] = from[j * n + i];
}

static void twiddle(struct complex *row, unsigned n, const struct complex *root, unsigned i,
                    int sign)
{
    for (unsigned j = 0; j < n; j++) {
        struct complex w = root[i * j];
        w.im *= -sign;
        row[j] = times(row[j], w);
    }
}

static void transform(unsigned first, unsigned last, int sign)
{
    const unsigned n = m;
    struct complex *x = data, *y = other;
    const struct complex *root = roots;
    transpose(x, y, n, first, last);
    for (unsigned i = first; i < last; i++) {
        transform_row(y + i * n, n, root, sign);
        twiddle(y + i * n, n, root, i, sign);
    }
    pthread_barrier_wait(&step);
    transpose(y, x, n, first, last);
    for (unsigned i = first; i < last; i++)
        transform_row(x + i * n, n, root, sign);
    pthread_barrier_wait(&step);
    transpose(x, y, n, first, last);
    pthread_barrier_wait(&step);
    for (unsigned i = first * n; i < last * n; i++)
        x[i] = y[i];
    pthread_barrier_wait(&step);
}

static void *work(void *arg)
{
    unsigned id = (unsigned)(size_t)arg, first = id * m / threads, last = (id + 1) * m / threads;
    double error = 0, scale = 1.0 / ((double)m * m);
    pthread_barrier_wait(&step);
    double begin = now();
    transform(first, last, -1);
    transform(first, last, 1);
    if (id == 0)
        seconds = now() - begin;
    for (unsigned i = first * m; i < last * m; i++) {
        double e = fabs(data[i].re * scale - (double)(i % 7)) + fabs(data[i].im * scale);
        error = e > error ? e : error;
    }
    worst[id] = error;
    return NULL;
}

static void fill(void)
{
    data = calloc((size_t)m * m, sizeof *data);
    other = calloc((size_t)m * m, sizeof *other);
    roots = calloc((size_t)m * m, sizeof *roots);
    worst = calloc(threads, sizeof *worst);
    for (unsigned i = 0; i < m * m; i++) {
        data[i].re = i % 7;
        roots[i].re = cos(2 * M_PI * i / ((double)m * m));
        roots[i].im = sin(2 * M_PI * i / ((double)m * m));
    }
}

int main(int argc, char **argv)
{
    pthread_t t[64];
    m = 1u << (argc > 1 ? atoi(argv[1]) : 9);
    threads = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
    pthread_barrier_init(&step, NULL, threads);
    fill();
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)(size_t)i);
    double error = 0;
    for (unsigned i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    for (unsigned i = 0; i < threads; i++)
        error = worst[i] > error ? worst[i] : error;
    printf("seconds %.4f\nerror %s\n", seconds, error < 1e-6 ? "small" : "LARGE");
    return error >= 1e-6;
}
