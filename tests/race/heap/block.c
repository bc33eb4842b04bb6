// Two threads write one heap block; the report names the block and where it came from.
// EXPECT: data-race RACE1/write/8 RACE2/write/8
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC
#include <stdlib.h>
#include "invisible.h"

static long *block;

static void first(void)
{
    block[2] = 1; // RACE1
}

static void second(void)
{
    block[PICK(2, 3)] = 2; // RACE2
}

int main(void)
{
    block = malloc(10 * sizeof(*block)); // ALLOC
    run_in_order(first, second);
    free(block);
    return 0;
}
