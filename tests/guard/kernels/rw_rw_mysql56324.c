/*
 * MySQL 56324, R-W|R-W: a reference count of a share goes up without a lock.
 */
#include "kernel.h"

static volatile int references;

static void bump(void)
{
    FIX_LOCK();
    int now = references;
    gap(1500);
    references = now + 1;
    FIX_UNLOCK();
}

static void one(void)
{
    start(0);
    bump();
}

static void two(void)
{
    start(600);
    bump();
}

static int is_correct(void)
{
    return references == 2;
}
