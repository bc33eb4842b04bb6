// One thread frees a block, another reads it afterwards. The fixed twin frees after the join.
// EXPECT: data-race RACE1/free RACE2/read
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC
// PEER: tsan misses: reports the free as a write
#include <stdlib.h>
#include "invisible.h"

static int *block;
int seen;

static void first(void)
{
    BUG(free(block);) // RACE1
}

static void second(void)
{
    seen = block[1]; // RACE2
}

int main(void)
{
    block = calloc(10, sizeof(*block)); // ALLOC
    run_in_order(first, second);
    FIX(free(block));
    return 0;
}
