// A heap block of 4 GiB, one byte in every MiB touched by two threads.
// EXPECT: data-race RACE1/write RACE2
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC
#include <stdlib.h>
#include "invisible.h"

static char *block;
static const size_t size = 4ul << 30, step = 1 << 20;

static void first(void)
{
    for (size_t at = 0; at < size; at += step)
        block[at] = 1; // RACE1
}

static void second(void)
{
    for (size_t at = 1; at < size; at += step)
        block[at] = 2;
    BUG(block[size - step] = 3;) // RACE2
}

int main(void)
{
    block = malloc(size); // ALLOC
    if (!block)
        return 2;
    run_in_order(first, second);
    free(block);
    return 0;
}
