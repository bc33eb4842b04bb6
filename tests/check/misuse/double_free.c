// Two threads free one block.
// EXPECT: data-race FREE/free FREE/free
#include "../twin.h"

static int *block;

static void *drop(void *arg)
{
    FIX(LOCK());
    FIX(if (block))
        free(block); // FREE
    FIX(block = NULL);
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    block = malloc(4);
    run_two(drop, drop);
    return 0;
}
