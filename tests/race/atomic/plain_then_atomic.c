// A plain write and then another thread's atomic load; a plain read and an atomic load are fine.
// EXPECT: data-race RACE1/write RACE2/atomic
// EXPECT-OBJECT: global place
#include "invisible.h"

int place = 1, seen, also_seen;

static void first(void)
{
    FIX(also_seen = place);
    BUG(place = 1;) // RACE1
}

static void second(void)
{
    seen = __atomic_load_n(&place, __ATOMIC_ACQUIRE); // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
