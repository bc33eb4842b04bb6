/*
 * MySQL 12228, R-R|W: a stored procedure is found in the cache by its version; the cache is
 * invalidated before the version is read again to be remembered with the result.
 */
#include "kernel.h"

static volatile int version = 1;
static volatile int seen_first, seen_again;

static void one(void)
{
    start(0);
    FIX_LOCK();
    seen_first = version;
    gap(1500);
    seen_again = version;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    version = 2;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return seen_first == seen_again;
}
