/*
 * Mozilla 342577, R-W|R-W: pending events are counted by two threads.
 */
#include "kernel.h"

static volatile unsigned pending = 40;

static void bump(void)
{
    FIX_LOCK();
    unsigned n = pending;
    gap(1500);
    pending = n + 1;
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
    return pending == 42;
}
