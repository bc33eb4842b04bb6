/*
 * Cherokee 326, R-R-W|R-R-W: the cached time is looked at, looked at again to be formatted, and
 * replaced; two threads format it at once.
 */
#include "kernel.h"

static volatile unsigned stamp = 1;
static volatile unsigned made[2];

static void refresh(int who)
{
    FIX_LOCK();
    if (stamp < 100) {
        gap(700);
        unsigned next = stamp + 1;
        made[who] = next;
        gap(700);
        stamp = next;
    }
    FIX_UNLOCK();
}

static void one(void)
{
    start(0);
    refresh(0);
}

static void two(void)
{
    start(300);
    refresh(1);
}

static int is_correct(void)
{
    return stamp == 3 && made[0] != made[1];
}
