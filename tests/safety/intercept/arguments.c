// EXPECT: box_sum box_sum
// EXPECT-STDOUT: right
// OPTIONS: --contracts {dir}/own.contract
// LIBRARY: -mavx
// FLAGS: -mavx
// LINK-LIBRARY:
// Everything that a caller can hand over arrives: integers, doubles, 32-byte vectors, varargs, values on
// the stack; and a struct comes back through memory. Also while the call is delayed.
#include <immintrin.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct big {
    long v[5];
};

long box_sum(void *box, int a, long b, double x, double y, __m256d v, long c, long d, long e, long f,
             float z);
struct big box_make(void *box, long seed);
double box_add(void *box, int n, ...);

#ifdef LIBRARY
long box_sum(void *box, int a, long b, double x, double y, __m256d v, long c, long d, long e, long f,
             float z)
{
    double w[4];
    memcpy(w, &v, sizeof w);
    return (box != 0) + a + b + (long)x + (long)y + (long)(w[0] + w[1] + w[2] + w[3]) + c + d + e + f +
           (long)z;
}

struct big box_make(void *box, long seed)
{
    struct big b = {{seed, seed + 1, seed + 2, seed + 3, box != 0}};
    return b;
}

double box_add(void *box, int n, ...)
{
    double sum = box != 0;
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        sum += i & 1 ? va_arg(ap, double) : va_arg(ap, int);
    va_end(ap);
    return sum;
}
#else
#include "together.h"

static int box;
static atomic_int wrong;

static void *use(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        __m256d v = _mm256_set_pd(i, 2, 3, 4);
        int mine[4] = {0};
        LOCK;
        if (box_sum(&box, i, 2, 3.0, 4.0, v, 5, 6, 7, 8, 9.0f) != 1 + i + 44 + i + 9)
            wrong++;
        UNLOCK;
        if (box_add(mine, 9, 1, 2.0, 3, 4.0, 5, 6.0, 7, 8.0, 9) != 46)
            wrong++;
        struct big b = box_make(mine, i);
        if (b.v[0] != i || b.v[3] != i + 3 || b.v[4] != 1)
            wrong++;
    }
    return unused;
}

int main(void)
{
    together(use, use, 0);
    puts(wrong ? "wrong" : "right");
    return 0;
}
#endif
