// An unaligned 4-byte write over an 8-byte border; the other thread writes the last byte of it.
// EXPECT: data-race RACE1/write/4 RACE2/write/1
// EXPECT-OBJECT: global buffer
#include "invisible.h"

struct __attribute__((packed)) odd {
    char before[6];
    int value;
};

_Alignas(16) char buffer[32];

static void first(void)
{
    ((struct odd *)buffer)->value = 0x01020304; // RACE1
}

static void second(void)
{
    buffer[PICK(9, 10)] = 1; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
