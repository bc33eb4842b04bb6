// memset writes all of its range and nothing behind it.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global buffer
#include <string.h>
#include "invisible.h"

char buffer[200], seen;
size_t size = 99;

static void first(void)
{
    memset(buffer, 7, size); // RACE1
}

static void second(void)
{
    seen = buffer[PICK(98, 99)]; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
