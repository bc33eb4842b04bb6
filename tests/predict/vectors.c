/* vectors.c: calls into a library while they are recorded change no argument, whatever the stack,
 * the heap and a signal handler do meanwhile. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

double mix(const double *p, double a, double b, double c, double d, double e, double f, double g,
           double h);
double mix_some(int n, ...);
typedef double four __attribute__((vector_size(32)));
__attribute__((target("avx"))) void mix_wide(four *to, four a, four b);

enum { TIMES = 20000 };
static int wrong;
static volatile double noise = 1;

static void on_signal(int s)
{
    (void)s;
    for (int i = 0; i < 50; i++)
        noise = noise * 1.000001 + 0.5;
}

__attribute__((target("avx"))) static void check_wide(double x)
{
    four a = {x, x + 1, x + 2, x + 3}, b = {1, 2, 3, 4}, sum;
    mix_wide(&sum, a, b);
    for (int i = 0; i < 4; i++)
        if (sum[i] != x + i + i + 1)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void check(double x, int wide)
{
    double *p = malloc(16 + (unsigned)x % 512);
    p[0] = x;
    if (mix(p, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7) != 78 * x + 378)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    if (mix_some(4, x, x + 1, x + 2, x + 3) != 10 * x + 20)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    if (wide)
        check_wide(x);
    free(p);
}

static void *work(void *arg)
{
    int wide = __builtin_cpu_supports("avx") != 0;
    for (int i = 0; i < TIMES; i++)
        check(i + (arg ? 0.5 : 0.25), wide);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct itimerval often = {{0, 500}, {0, 500}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
