/*
 * A MySQL bug of the literature, W-R: the slave thread's id is waited for by reading it until the
 * thread runs, but it is read once only.
 */
#include "kernel.h"

static volatile unsigned long slave_id;
static volatile unsigned long shown;

static void one(void)
{
    usually_first();
    slave_id = 42;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    shown = slave_id;
}

static int is_correct(void)
{
    return shown == 42;
}
