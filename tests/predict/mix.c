/* mix.c: a library whose functions have arguments in vector registers. */
#include <stdarg.h>

double mix(const double *p, double a, double b, double c, double d, double e, double f, double g,
           double h)
{
    return p[0] + a * 2 + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19;
}

double mix_some(int n, ...)
{
    double sum = 0;
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double) * (i + 1);
    va_end(list);
    return sum;
}

typedef double four __attribute__((vector_size(32)));

__attribute__((target("avx"))) void mix_wide(four *to, four a, four b)
{
    *to = a + b;
}
