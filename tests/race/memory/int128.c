// __int128 written by one thread, its upper word by another.
// EXPECT: data-race RACE1 RACE2/write/8
// EXPECT-OBJECT: global value
#include "invisible.h"

union {
    __int128 all;
    unsigned long word[4];
} value;

static void first(void)
{
    value.all = -1; // RACE1
}

static void second(void)
{
    value.word[PICK(1, 2)] = 7; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
