/*
 * FFT of SPLASH-2 (LOOM), W-R: the end time is printed before the thread that measures it has
 * stored it.
 */
#include "kernel.h"

static volatile unsigned long transtime;
static volatile unsigned long printed;

static void one(void)
{
    usually_first();
    transtime = 77;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    printed = transtime;
}

static int is_correct(void)
{
    return printed == 77;
}
