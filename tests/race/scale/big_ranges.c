// Two threads fill and copy halves of 64 MiB by memset and memcpy; one byte too much is a race.
// EXPECT: data-race RACE1/write RACE2
// EXPECT-OBJECT: heap
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

static char *block;
static size_t half = 32 << 20;

static void first(void)
{
    memset(block, 1, half + PICK(1, 0)); // RACE1
}

static void second(void)
{
    memset(block + half, 2, half); // RACE2
}

int main(void)
{
    block = malloc(2 * half);
    run_in_order(first, second);
    free(block);
    return 0;
}
