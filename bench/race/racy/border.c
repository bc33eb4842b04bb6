/*
 * Bands of an array whose borders are one too far: every thread also writes its right neighbour's
 * first element, and reads its left neighbour's last one.
 *
 * pairs: own-beyond own-before
 */
#include "hidden.h"

#define BAND 16

int cells[4 * BAND + 1];
long sums[4];

static __attribute__((noinline)) void sweep(int band)
{
    int first = band * BAND;

    for (int i = 0; i < BAND; i++)
        cells[first + i] = i; /* [own] */
    cells[first + BAND] = -1; /* [beyond] */
    if (band > 0)
        sums[band] = cells[first - 1]; /* [before] */
}

#define SWEEP(n)                                                                                   \
    static void sweep_##n(void)                                                                    \
    {                                                                                              \
        sweep(n);                                                                                  \
    }
SWEEP(0)
SWEEP(1)
SWEEP(2)
SWEEP(3)

int main(void)
{
    static const struct hidden_step steps[] = {
        {0, sweep_0}, {1, sweep_1}, {2, sweep_2}, {3, sweep_3}};

    HIDDEN_RUN(steps, 4);
    return sums[3] != BAND - 1;
}
