// strlen, strcmp, strchr and strdup read up to the terminator and not behind it.
// EXPECT: data-race RACE1/write LENGTH/read
// EXPECT-OBJECT: global length
// EXPECT: data-race RACE1/write COMPARE/read
// EXPECT-OBJECT: global compare
// EXPECT: data-race RACE1/write FIND/read
// EXPECT-OBJECT: global find
// EXPECT: data-race RACE1/write DOUBLE/read
// EXPECT-OBJECT: global twice
// PEER: tsan misses: strdup is not looked into there
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

char length[16] = "hello", compare[16] = "hello", find[16] = "hello", twice[16] = "hello";
/* volatile: the compiler shall compute no call beforehand. */
char *volatile place[] = {length, compare, find, twice};
char *volatile copy;
size_t result;

static void first(void)
{
    for (int i = 0; i < 4; i++)
        place[i][PICK(1, 7)] = 'a'; // RACE1
}

static void second(void)
{
    result += strlen(place[0]);                  // LENGTH
    result += (size_t)strcmp(place[1], "hbllo"); // COMPARE
    result += strchr(place[2], 'l') != NULL;     // FIND
    copy = strdup(place[3]);                     // DOUBLE
    free(copy);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
