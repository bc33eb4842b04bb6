// memcpy reads its source and writes its target, whatever the compiler makes of it.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global source
// EXPECT: data-race RACE3/write RACE4/write
// EXPECT-OBJECT: global target
#include <string.h>
#include "invisible.h"

char source[200], target[200], other[200], spare[200];
size_t size = 150;

static void first(void)
{
    source[100] = 1; // RACE1
    hidden_count(0);
    memcpy(target, other, size); // RACE3
}

static void second(void)
{
    memcpy(spare, PICK(source, other), size); // RACE2
    target[PICK(149, 150)] = 1;               // RACE4
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
