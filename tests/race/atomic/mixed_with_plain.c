// An atomic store and a plain read of one place race; two atomic accesses do not.
// EXPECT: data-race RACE1/atomic RACE2/read
// EXPECT-OBJECT: global place
#include "invisible.h"

int place, seen;

static void first(void)
{
    __atomic_store_n(&place, 1, __ATOMIC_RELAXED); // RACE1
}

static void second(void)
{
    seen = PICK(place, __atomic_load_n(&place, __ATOMIC_RELAXED)); // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
