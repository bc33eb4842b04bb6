/*
 * Apache 21287, R-W|R-W: a cache object's reference count goes down without a lock, and the test
 * for zero is not part of it: it is freed by neither or by both.
 */
#include "kernel.h"

static volatile int references = 2;
static volatile int freed;

static void release(void)
{
    FIX_LOCK();
    int left = references - 1;
    gap(1500);
    references = left;
    if (left == 0)
        freed++;
    FIX_UNLOCK();
}

static void one(void)
{
    start(0);
    release();
}

static void two(void)
{
    start(600);
    release();
}

static int is_correct(void)
{
    return freed == 1;
}
