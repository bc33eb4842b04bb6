// EXPECT: strtok strtok
// EXPECT-STACK: inner outer run
// FLAGS-EACH: -DSORTING -fomit-frame-pointer | -DSIGNAL -fomit-frame-pointer | -DALLOCA | -DDEEP -O0 | -DSIGNAL -fno-omit-frame-pointer
// Stacks through frames of libc, of a signal, of a size that is not known before, and of many calls.
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "together.h"

#define STILL __attribute__((noinline, noclone))

static volatile int sink;

STILL static void inner(void)
{
    char text[] = "a b";
    sink += strtok(text, " ") != 0;
}

#if defined SORTING
STILL static int compare(const void *a, const void *b)
{
    inner();
    return *(const int *)a - *(const int *)b + sink * 0;
}

static void way(void)
{
    int two[] = {2, 1};
    qsort(two, 2, sizeof *two, compare);
    sink += two[0];
}
#elif defined SIGNAL
static void on_signal(int number)
{
    inner();
    sink += number;
}

static void way(void)
{
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
}
#elif defined ALLOCA
static void way(void)
{
    size_t n = 16 + (size_t)(sink & 1023);
    char *room = alloca(n);
    memset(room, 1, n);
    inner();
    sink += room[n / 2];
}
#else
STILL static int deep(int n)
{
    if (n == 0)
        inner();
    else
        sink += deep(n - 1);
    return sink;
}

static void way(void)
{
    sink += deep(12);
}
#endif

STILL static void outer(void)
{
    way();
    sink++;
}

static void *run(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS / 20; i++) {
        LOCK;
        outer();
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(run, run, 0);
    puts("done");
    return 0;
}
