// EXPECT: gmtime localtime
// ALLOW: gmtime gmtime
// ALLOW: localtime localtime
// Two functions share one buffer.
#include <stdio.h>
#include <time.h>

#include "together.h"

static void *local(void *unused)
{
    arrive();
    for (time_t i = 0; i < ROUNDS; i++) {
        LOCK;
        (void)localtime(&i);
        UNLOCK;
    }
    return unused;
}

static void *global(void *unused)
{
    arrive();
    for (time_t i = 0; i < ROUNDS; i++) {
        LOCK;
        (void)gmtime(&i);
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(local, global, 0);
    puts("done");
    return 0;
}
