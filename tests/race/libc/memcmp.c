// memcmp reads both of its ranges.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global right
#include <string.h>
#include "invisible.h"

char left[100], right[100];
size_t size = 64;
int result;

static void first(void)
{
    right[PICK(60, 64)] = 0; // RACE1
}

static void second(void)
{
    result = memcmp(left, right, size); // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return result;
}
