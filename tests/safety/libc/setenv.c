// EXPECT: getenv setenv
// A reader of the environment while it is changed.
#include <stdio.h>
#include <stdlib.h>

#include "together.h"

static void *change(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        setenv("SAFETY", i & 1 ? "one" : "another", 1);
        UNLOCK;
    }
    return unused;
}

static void *look(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        (void)getenv("SAFETY");
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(change, look, 0);
    puts("done");
    return 0;
}
