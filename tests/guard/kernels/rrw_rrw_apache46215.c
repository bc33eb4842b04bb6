/*
 * Apache 46215, R-R-W|R-R-W: the balancer looks whether a worker is better, reads its load and
 * changes it; two requests choose the same one.
 */
#include "kernel.h"

static volatile int load;
static volatile int chosen_with[2];

static void choose(int who)
{
    FIX_LOCK();
    if (load < 10) {
        gap(700);
        int now = load;
        chosen_with[who] = now;
        gap(700);
        load = now + 5;
    }
    FIX_UNLOCK();
}

static void one(void)
{
    start(0);
    choose(0);
}

static void two(void)
{
    start(300);
    choose(1);
}

static int is_correct(void)
{
    return load == 10 && chosen_with[0] != chosen_with[1];
}
