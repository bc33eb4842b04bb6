// snprintf writes its target.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global text
// PEER: gcc-tsan misses: it does not know snprintf
#include <stdio.h>
#include "invisible.h"

char text[32], seen;
int number = 12345;

static void first(void)
{
    snprintf(text, sizeof(text), "%d", number); // RACE1
}

static void second(void)
{
    seen = text[PICK(4, 6)]; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
