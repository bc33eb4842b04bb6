// A string that is printed is read.
// EXPECT: data-race PRINT WRITE/write
#include "../twin.h"

#include <stdio.h>

static char line[16] = "hello";

static void *print(void *arg)
{
    FIX(LOCK());
    printf("%s\n", line); // PRINT
    FIX(UNLOCK());
    return arg;
}

static void *change(void *arg)
{
    FIX(LOCK());
    line[1] = 'a'; // WRITE
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(print, change);
    return 0;
}
