// The default action of SIGTERM.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 143
// EXPECT-FIXED-EXIT: 143
#include <signal.h>
#include "invisible.h"

int shared;

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
    run_in_order(first, second);
    raise(SIGTERM);
    return 0;
}
