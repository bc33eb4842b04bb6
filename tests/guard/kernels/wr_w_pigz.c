/*
 * pigz 9ef658babd, W-R|W: a pool counts what it made; the count is set and read again after the
 * lock was given back, while another thread makes one more.
 */
#include "kernel.h"

static volatile int made;
static volatile int reported;

static void one(void)
{
    start(0);
    FIX_LOCK();
    made = 1;
    gap(1500);
    reported = made;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    made = 7;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return reported == 1;
}
