// EXPECT: data-race
// SNAG-CC: gcc | clang
// Memory accesses of instrumented code are points, too.
#include <stdio.h>

#include "together.h"

static int counter;

static void *count(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        counter++;
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(count, count, 0);
    puts("done");
    return 0;
}
