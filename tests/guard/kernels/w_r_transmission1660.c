/*
 * Transmission 1660, W-R: a session's bandwidth object is used by the event thread before it is
 * made.
 */
#include "kernel.h"

static int storage = 3;
static int *volatile bandwidth;
static volatile int used;

static void one(void)
{
    usually_first();
    bandwidth = &storage;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    used = *bandwidth;
}

static int is_correct(void)
{
    return used == 3;
}
