// EXPECT: strtok strtok
// Hidden state between two calls: every thread's words end up with the other.
#include <stdio.h>
#include <string.h>

#include "together.h"

static void *split(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        char line[] = "a";
        LOCK;
        strtok(line, " ");
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(split, split, 0);
    puts("done");
    return 0;
}
