// strcpy, strncpy and strcat write their targets, the terminator included.
// EXPECT: data-race ONE/write ALSO_ONE
// EXPECT-OBJECT: global one
// EXPECT: data-race TWO/write ALSO_TWO
// EXPECT-OBJECT: global two
// EXPECT: data-race THREE/write ALSO_THREE
// EXPECT-OBJECT: global three
// PEER: tsan misses: it does not know strcat
#include <string.h>
#include "invisible.h"

char one[32], two[32], three[32] = "ab", sum;
const char *volatile word = "hello";

static void first(void)
{
    strcpy(one, word);      // ONE
    strncpy(two, word, 10); // TWO
    strcat(three, word);    // THREE
}

static void second(void)
{
    sum += one[PICK(5, 6)];   // ALSO_ONE
    sum += two[PICK(9, 10)];  // ALSO_TWO
    sum += three[PICK(7, 8)]; // ALSO_THREE
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
