/*
 * Mozilla 73761, W-W|R: a request is marked as started before its status is set; the other thread
 * believes the first mark.
 */
#include "kernel.h"

enum { IDLE, STARTING, RUNNING };
static volatile int request = IDLE;
static volatile int believed = -1;

static void one(void)
{
    start(0);
    FIX_LOCK();
    request = STARTING;
    gap(1500);
    request = RUNNING;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    believed = request;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return believed != STARTING;
}
