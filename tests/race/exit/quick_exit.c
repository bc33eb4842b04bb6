// quick_exit runs its own handlers.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 9
// EXPECT-FIXED-EXIT: 9
// EXPECT-STDOUT: quick
// PEER: tsan may-miss: its exit status is lost
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

int shared;

static void handler(void)
{
    puts("quick");
    fflush(stdout);
}

static void first(void)
{
    shared = 1; // RACE1
}

static void second(void)
{
    BUG(shared = 2;) // RACE2
}

int main(void)
{
    at_quick_exit(handler);
    run_in_order(first, second);
    quick_exit(9);
}
