// A struct assignment reads every byte of the source.
// EXPECT: data-race RACE1/write RACE2
// EXPECT-OBJECT: global source
#include "invisible.h"

struct big {
    int value[20];
} source, other, copy;

static void first(void)
{
    source.value[19] = 1; // RACE1
}

static void second(void)
{
    copy = PICK(source, other); // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
