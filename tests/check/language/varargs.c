// Variable arguments of all kinds, va_copy, structures.
// EXPECT: misuse END
#include "verify.h"
#include <stdarg.h>

struct pair {
    long a, b, c;
};

static double total(int n, ...)
{
    va_list list, again;
    double sum = 0;
    va_start(list, n);
    va_copy(again, list);
    for (int i = 0; i < n; i++)
        sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    VERIFY(va_arg(again, int) == 1);
    va_end(again);
    struct pair p = va_arg(list, struct pair);
    long double w = va_arg(list, long double);
    const char *s = va_arg(list, const char *);
    va_end(list);
    VERIFY(p.a == 7 && p.c == 9 && w == 2.5L && strcmp(s, "end") == 0);
    return sum;
}

static int many(const char *format, va_list list)
{
    int n = 0;
    for (; *format; format++)
        n += *format == 'l' ? (int)va_arg(list, long) : *format == 'c' ? va_arg(list, int) : 0;
    return n;
}

static int call(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = many(format, list);
    va_end(list);
    return n;
}

int main(void)
{
    VERIFY(total(12, 1, 0.5, 2, 0.5, 3, 0.5, 4, 0.5, 5, 0.5, 6, 0.5, (struct pair){7, 8, 9}, 2.5L, "end") == 24);
    VERIFY(call("lcl", 100L, 'A', 1000L) == 1165);
    REACHED(); // END
    return 0;
}
