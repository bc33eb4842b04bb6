// abort after a race: the finding is in the report, the signal is told.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 134
// EXPECT-FIXED-EXIT: 134
#include <stdlib.h>
#include "invisible.h"

int shared;

static void first(void)
{
    shared = 1; // RACE1
}

static void second(void)
{
    BUG(shared = 2;) // RACE2
    abort();
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
