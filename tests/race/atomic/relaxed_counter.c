// A relaxed counter is no race by itself; counting without an atomic is.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global hits
// EXPECT-STDOUT: 2
#include <stdio.h>
#include "invisible.h"

long hits;

static void both(void)
{
    FIX(__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED));
    BUG(hits++;) // RACE1
}

int main(void)
{
    run_in_order(both, both);
    printf("%ld\n", hits);
    return 0;
}
