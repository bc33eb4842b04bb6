/* Instrumented functions with variables on the stack; probe() of hooks.c prints where they are. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int a;
    long b[3];
};

void probe(volatile void *addr, const char *expect);
void probe_many(int a, int b, int c, int d, int e, int f, volatile void *addr, const char *expect);

static inline __attribute__((always_inline)) void inlined(int seed)
{
    int in_inlined[4] = {seed};
    probe(&in_inlined[2], "in_inlined+8/16=[2]");
}

__attribute__((noinline)) void simple(int by)
{
    int first = by;
    struct pair second = {by, {1, 2, 3}};
    probe(&first, "first+0/4");
    probe(&second.b[1], "second+16/32=b[1]");
}

__attribute__((noinline)) void blocks(int by)
{
    for (int i = 0; i < 2; i++) {
        char in_loop[40];
        memset(in_loop, by, sizeof in_loop);
        probe(&in_loop[39], "in_loop+39/40=[39]");
    }
    {
        long shadow = by;
        probe(&shadow, "shadow+0/8");
        {
            int shadow[2] = {by, by};
            probe(&shadow[1], "shadow+4/8=[1]");
        }
    }
    inlined(by);
}

/* More arguments than registers: they are pushed before the call. */
__attribute__((noinline)) void pushes(int by)
{
    int target = by;
    double other = by;
    probe_many(1, 2, 3, 4, 5, 6, &target, "target+0/4");
    probe_many(1, 2, 3, 4, 5, 6, &other, "other+0/8");
}

__attribute__((noinline)) void parameter(int given, struct pair by_value)
{
    probe(&given, "given+0/4");
    probe(&by_value.b[2], "by_value+24/32=b[2]");
}

__attribute__((noinline)) void deep(int n)
{
    int level = n;
    if (n > 0)
        deep(n - 1);
    probe(&level, "level+0/4");
}

__attribute__((noinline)) void variable_length(int n)
{
    int before = n;
    char vla[n + 16];
    memset(vla, n, sizeof vla);
    probe(vla, "?");
    probe(&before, "before+0/4");
}

int main(int argc, char **argv)
{
    struct pair p = {argc, {4, 5, 6}};
    char *volatile args = argv[0];
    simple(argc);
    blocks(argc);
    pushes(argc);
    parameter(argc, p);
    deep(2);
    variable_length(argc);
    probe(&p.a, "p+0/32=a");
    /* The twin: an address that no variable has. */
    probe((char *)&p - (1 << 16), "?");
    return args == NULL;
}
