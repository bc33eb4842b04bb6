// A failing compare-exchange stores nothing, so it publishes nothing.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int state = 5;

static void first(void)
{
    int expected = PICK(4, 5);
    data = 1; // RACE1
    atomic_compare_exchange_strong(&state, &expected, 6);
}

static void second(void)
{
    atomic_load(&state);
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
