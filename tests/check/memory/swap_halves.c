// The condition decides which index is touched; interpreted exactly.
// EXPECT: data-race ODD EVEN
#include "../twin.h"

static int cell[10];

static void *odd(void *arg)
{
    for (int i = 1; i < 10; i += 2)
        cell[i]++; // ODD
    return arg;
}

static void *even(void *arg)
{
    for (int i = PICK(1, 0); i < 10; i += 4)
        cell[i]++; // EVEN
    return arg;
}

int main(void)
{
    run_two(odd, even);
    return 0;
}
