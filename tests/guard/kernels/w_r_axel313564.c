/*
 * Axel 313564, W-R: the main loop reads when a connection last got something before its thread has
 * set it for the first time, and gives the connection up.
 */
#include "kernel.h"

static volatile long last_transfer;
static volatile int given_up;

static void one(void)
{
    usually_first();
    last_transfer = 1000;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    if (1001 - last_transfer > 45)
        given_up = 1;
}

static int is_correct(void)
{
    return !given_up;
}
