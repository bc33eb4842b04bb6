// An unaligned 2-byte write inside one 8-byte granule and a read of its second byte.
// EXPECT: data-race RACE1/write/2 RACE2/read/1
// EXPECT-OBJECT: global buffer
#include "invisible.h"

struct __attribute__((packed)) odd {
    char before[3];
    short value;
};

_Alignas(16) char buffer[32];
char seen;

static void first(void)
{
    ((struct odd *)buffer)->value = 0x0102; // RACE1
}

static void second(void)
{
    seen = buffer[PICK(4, 5)]; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
