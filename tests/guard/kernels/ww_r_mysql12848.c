/*
 * MySQL 12848, W-W|R: the query cache is resized in two steps, size 0 and then the new size; a
 * query that comes in between finds a cache that is not there.
 */
#include "kernel.h"

static volatile unsigned long cache_size = 1024;
static volatile int served = -1;

static void one(void)
{
    start(0);
    FIX_LOCK();
    cache_size = 0;
    gap(1500);
    cache_size = 2048;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    served = cache_size != 0;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return served == 1;
}
