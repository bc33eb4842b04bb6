// An atomic struct of 24 bytes: libatomic keeps it under a lock of its own, and it publishes too.
// FLAGS: -latomic
// FLAGS-clang: -Wno-atomic-alignment
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include "invisible.h"

struct big {
    long a, b, c;
} shared;
int data, seen;

static void first(void)
{
    struct big value = {1, 2, 3};
    data = 1; // RACE1
    __atomic_store(&shared, &value, __ATOMIC_RELEASE);
}

static void second(void)
{
    struct big value = {0, 0, 3};
    FIX(__atomic_load(&shared, &value, __ATOMIC_ACQUIRE));
    if (value.c == 3)
        seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
