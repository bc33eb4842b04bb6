// The program's own exit status is kept when nothing is found, and told when something is.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 7
// EXPECT-FIXED-EXIT: 7
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
    return 7;
}
