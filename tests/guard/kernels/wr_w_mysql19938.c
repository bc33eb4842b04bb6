/*
 * MySQL 19938, W-R|W: a flag that says which table is dropped is set and then read by the same
 * thread; another statement sets it in between.
 */
#include "kernel.h"

enum { NONE, TEMPORARY, BASE };
static volatile int drop_kind = NONE;
static volatile int dropped;

static void one(void)
{
    start(0);
    FIX_LOCK();
    drop_kind = TEMPORARY;
    gap(1500);
    dropped = drop_kind;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    drop_kind = BASE;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return dropped == TEMPORARY;
}
