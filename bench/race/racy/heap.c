/*
 * Heap blocks: written by one thread without a lock, read by a second, freed by a third.
 *
 * pairs: fill-read_first fill_last-read_last fill-free fill_last-free read_first-free
 * read_last-free
 */
#include "hidden.h"

int *block;
int seen;

static void fill(void)
{
    block[0] = 1;  /* [fill] */
    block[63] = 2; /* [fill_last] */
}

static void read_block(void)
{
    seen = block[0];   /* [read_first] */
    seen += block[63]; /* [read_last] */
}

static void free_block(void)
{
    free(block); /* [free] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, fill}, {1, read_block}, {2, free_block}};

    block = calloc(64, sizeof *block);
    if (!block)
        return 1;
    HIDDEN_RUN(steps, 3);
    return seen != 3;
}
