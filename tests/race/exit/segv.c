// A segmentation fault after a race.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 139
// EXPECT-FIXED-EXIT: 139
// PEER: tsan may-alarm: it reports the fault itself and ends with its own status
#include "invisible.h"

int shared;
static volatile int *volatile nowhere;

static void first(void)
{
    shared = 1; // RACE1
}

static void second(void)
{
    BUG(shared = 2;) // RACE2
    *nowhere = 1;
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
