// An unaligned 8-byte read over a granule border against a byte write in its second half.
// EXPECT: data-race RACE1/read/8 RACE2/write/1
// EXPECT-OBJECT: global buffer
#include "invisible.h"

struct __attribute__((packed)) odd {
    char before[5];
    unsigned long value;
};

_Alignas(16) char buffer[32];
unsigned long seen;

static void first(void)
{
    seen = ((struct odd *)buffer)->value; // RACE1
}

static void second(void)
{
    buffer[PICK(12, 13)] = 1; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
