// An atomic increment against a plain read of a part of it.
// EXPECT: data-race RACE1/atomic RACE2/read/1
// EXPECT-OBJECT: global place
#include "invisible.h"

union {
    long all;
    char part[16];
} place;
char seen;

static void first(void)
{
    __atomic_fetch_add(&place.all, 1, __ATOMIC_SEQ_CST); // RACE1
}

static void second(void)
{
    seen = place.part[PICK(7, 8)]; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen;
}
