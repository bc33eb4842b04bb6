/* Calls in calls, inlined when the compiler may: for frames. */
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

static inline __attribute__((always_inline)) int leaf(int x)
{
    sink = x;
    return x * 3 + sink;
}

static inline __attribute__((always_inline)) int middle(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++) {
        sum += leaf(i);
        if (sum > 1000)
            sum -= leaf(sum);
    }
    return sum;
}

static int maybe(int x)
{
    return middle(x) + middle(x + 1);
}

__attribute__((noinline)) int outer(int x)
{
    int r = maybe(x);
    switch (x) {
    case 1:
        r += leaf(1);
        break;
    case 2:
        r -= maybe(3);
        break;
    case 3:
        r ^= 5;
        break;
    case 4:
        r *= sink;
        break;
    default:
        r = middle(r);
    }
    return r;
}

__attribute__((noinline, cold)) void fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

__attribute__((noinline)) int recurse(int n, int (*f)(int))
{
    if (n < 0)
        fail("negative");
    return n == 0 ? f(n) : recurse(n - 1, f) + leaf(n);
}

int main(int argc, char **argv)
{
    (void)argv;
    return recurse(argc, outer) & 1;
}
