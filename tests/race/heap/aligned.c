// Blocks of posix_memalign, aligned_alloc and memalign are heap blocks as well.
// EXPECT: data-race ONE/write ALSO_ONE/write
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC_ONE
// EXPECT: data-race TWO/write ALSO_TWO/write
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC_TWO
// EXPECT: data-race THREE/write ALSO_THREE/write
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC_THREE
#include <malloc.h>
#include <stdlib.h>
#include "invisible.h"

static int *one, *two, *three;

static void first(void)
{
    one[0] = 1;   // ONE
    two[0] = 1;   // TWO
    three[0] = 1; // THREE
}

static void second(void)
{
    one[PICK(0, 1)] = 1;   // ALSO_ONE
    two[PICK(0, 1)] = 1;   // ALSO_TWO
    three[PICK(0, 1)] = 1; // ALSO_THREE
}

int main(void)
{
    int failed = posix_memalign((void **)&one, 64, 128); // ALLOC_ONE
    two = aligned_alloc(64, 128);                        // ALLOC_TWO
    three = memalign(64, 128);                           // ALLOC_THREE
    run_in_order(first, second);
    free(one);
    free(two);
    free(three);
    return failed;
}
