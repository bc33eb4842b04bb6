// A block is freed by one thread and handed out again to another: a new object, no race.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global last
#include <malloc.h>
#include <stdlib.h>
#include "invisible.h"

long last;

static void first(void)
{
    char *p = malloc(5000); /* too large for a cache of the thread's own */
    for (int i = 0; i < 5000; i++)
        p[i] = 1;
    BUG(last = p[4999];) // RACE1
    free(p);
}

static void second(void)
{
    char *p = malloc(5000);
    for (int i = 0; i < 5000; i++)
        p[i] = 2;
    last = p[4999]; // RACE2
    free(p);
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1);
    run_in_order(first, second);
    return 0;
}
