// strlen, strcmp, strchr and strdup read up to the terminator and not behind it.
// EXPECT: data-race RACE1/write LENGTH/read
// EXPECT-OBJECT: global text
// EXPECT: data-race RACE1/write COMPARE/read
// EXPECT-OBJECT: global text
// EXPECT: data-race RACE1/write FIND/read
// EXPECT-OBJECT: global text
// EXPECT: data-race RACE1/write DOUBLE/read
// EXPECT-OBJECT: global text
// PEER: tsan may-miss: reports a pair of stacks on one granule once
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

char text[32] = "hello";
size_t result;

static void first(void)
{
    text[PICK(1, 7)] = 'a'; // RACE1
}

static void second(void)
{
    char *volatile where = text;
    char *copy;
    result += strlen(where);                  // LENGTH
    result += (size_t)strcmp(where, "hbllo"); // COMPARE
    result += strchr(where, 'l') != NULL;     // FIND
    copy = strdup(where);                     // DOUBLE
    free(copy);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
