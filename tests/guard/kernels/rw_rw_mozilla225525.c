/*
 * Mozilla 225525, R-W|R-W: bytes received by two connections are added up without a lock.
 */
#include "kernel.h"

static volatile unsigned long received = 100;

static void bump(void)
{
    FIX_LOCK();
    unsigned long so_far = received;
    gap(1500);
    received = so_far + 100;
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
    return received == 300;
}
