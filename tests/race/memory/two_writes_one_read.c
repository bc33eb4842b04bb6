// A read of two bytes meets two writes, one of each byte: both pairs are told.
// EXPECT: data-race LOW READ
// EXPECT: data-race HIGH READ
#include "invisible.h"

union {
    char byte[2];
    short both;
} value;

static void first(void)
{
    value.byte[0] = 1; // LOW
    hidden_count(0);
    value.byte[1] = 1; // HIGH
}

static void second(void)
{
    BUG(hidden_events[60] = value.both;) // READ
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
