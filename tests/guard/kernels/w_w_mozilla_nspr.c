/*
 * A Mozilla bug of Lu 2008, W-W: an operation marks itself as pending after it was started; when
 * the other thread has marked it as done by then, it stays pending for ever (figure 12).
 */
#include "kernel.h"

static volatile int io_pending;

static void one(void)
{
    usually_first();
    io_pending = 1;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    io_pending = 0;
}

static int is_correct(void)
{
    return io_pending == 0;
}
