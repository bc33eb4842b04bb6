// Each thread has its half, if the border is right.
// EXPECT: data-race FILL FILL
#include "../twin.h"

int array[16];

static void fill(int from, int to)
{
    for (int i = from; i < to; i++)
        array[i] = i; // FILL
}

static void *low(void *arg)
{
    fill(0, PICK(9, 8));
    return arg;
}

static void *high(void *arg)
{
    fill(8, 16);
    return arg;
}

int main(void)
{
    run_two(low, high);
    return array[3];
}
