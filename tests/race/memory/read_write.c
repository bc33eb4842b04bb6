// A read, then a write by another thread. Two reads alone are no race.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global shared
#include "invisible.h"

int shared, seen, also_seen;

static void first(void)
{
    seen = shared; // RACE1
}

static void second(void)
{
    FIX(also_seen = shared);
    BUG(shared = 1;) // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
