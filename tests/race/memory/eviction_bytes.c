// One thread's byte reads fill a granule before another writes the first of them.
// EXPECT: data-race RACE1/read/1 RACE2/write/1
// EXPECT-OBJECT: global bytes
// PEER: tsan may-miss: the cell of the racing byte is evicted
#include "invisible.h"

_Alignas(8) char bytes[8];
int sum;

static void first(void)
{
    sum += bytes[0]; // RACE1
    for (int i = 1; i < 8; i++)
        sum += bytes[i];
}

static void second(void)
{
    BUG(bytes[0] = 1;) // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
