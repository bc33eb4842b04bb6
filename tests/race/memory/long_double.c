// A long double is 16 bytes in memory.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global value
// ONLY: gcc (clang does not instrument x87 accesses)
#include "invisible.h"

long double value, other, seen;

static void first(void)
{
    value = 1.5L; // RACE1
}

static void second(void)
{
    seen = PICK(value, other); // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
