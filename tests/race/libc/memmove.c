// memmove with overlapping ranges.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global buffer
#include <string.h>
#include "invisible.h"

char buffer[200];
size_t size = 100;

static void first(void)
{
    memmove(buffer + 10, buffer, size); // RACE1
}

static void second(void)
{
    buffer[PICK(109, 110)] = 1; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
