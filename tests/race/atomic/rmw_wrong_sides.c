// A read-modify-write with acquire publishes nothing, one with release sees nothing.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// EXPECT: data-race RACE3/write RACE4/read
// EXPECT-OBJECT: global more
#include <stdatomic.h>
#include "invisible.h"

int data, more, seen;
atomic_int one, two;

static void first(void)
{
    data = 1; // RACE1
    atomic_fetch_or_explicit(&one, 1, PICK(memory_order_acquire, memory_order_release));
    more = 1; // RACE3
    atomic_fetch_or_explicit(&two, 1, memory_order_release);
}

static void second(void)
{
    atomic_fetch_and_explicit(&one, 1, memory_order_acquire);
    seen += data; // RACE2
    atomic_fetch_and_explicit(&two, 1, PICK(memory_order_release, memory_order_acquire));
    seen += more; // RACE4
}

int main(void)
{
    run_in_order(first, second);
    return seen - 2;
}
