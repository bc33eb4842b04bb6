/*
 * Apache 48735, R-W|R-W: the number of busy workers is counted in shared memory without a lock.
 */
#include "kernel.h"

struct scoreboard {
    volatile long busy;
};
static struct scoreboard board;

static void bump(void)
{
    FIX_LOCK();
    long busy = board.busy;
    gap(1500);
    board.busy = busy + 1;
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
    return board.busy == 2;
}
