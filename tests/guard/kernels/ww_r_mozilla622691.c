/*
 * Mozilla 622691, W-W|R: a length is first set to what is wanted and then to what was allocated; a
 * reader in between copies too much.
 */
#include "kernel.h"

static volatile unsigned length = 8;
static volatile unsigned copied;

static void one(void)
{
    start(0);
    FIX_LOCK();
    length = 4096;
    gap(1500);
    length = 16;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    copied = length;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return copied <= 16;
}
