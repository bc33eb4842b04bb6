// Bit-fields of one storage unit share a memory location; a zero-width field separates them.
// EXPECT: data-race RACE1/write RACE2
// EXPECT-OBJECT: global flags
#include "invisible.h"

struct {
    unsigned a : 3;
#ifdef FIXED
    unsigned : 0;
#endif
    unsigned b : 5;
} flags;

static void first(void)
{
    flags.a = 1; // RACE1
}

static void second(void)
{
    flags.b = 2; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
