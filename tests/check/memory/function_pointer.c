// The racing function is called through a table.
// EXPECT: data-race WORK/write WORK
// EXPECT-STACK: WORK increment call_it
#include "../twin.h"

static long total;

static void increment(void)
{
    FIX(LOCK());
    total++; // WORK
    FIX(UNLOCK());
}

static void (*const table[])(void) = {increment, NULL};

static void *call_it(void *arg)
{
    for (int i = 0; table[i]; i++)
        table[i]();
    return arg;
}

int main(void)
{
    run_two(call_it, call_it);
    return 0;
}
