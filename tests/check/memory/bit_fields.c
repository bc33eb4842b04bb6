// Two bit fields share a unit: writing one writes the other.
// EXPECT: data-race FIRST SECOND
#include "../twin.h"

struct {
    unsigned a : 3;
    FIX(unsigned : 0;)
    unsigned b : 3;
} bits;

static void *first(void *arg)
{
    bits.a = 1; // FIRST
    return arg;
}

static void *second(void *arg)
{
    bits.b = 2; // SECOND
    return arg;
}

int main(void)
{
    run_two(first, second);
    return 0;
}
