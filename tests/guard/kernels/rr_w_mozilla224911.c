/*
 * Mozilla 224911, R-R|W: the number of bytes of a mail folder is read to make room, and again to
 * copy; a new message changes it in between.
 */
#include "kernel.h"

static volatile unsigned bytes = 16;
static volatile unsigned room, copied;

static void one(void)
{
    start(0);
    FIX_LOCK();
    room = bytes;
    gap(1500);
    copied = bytes;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    bytes = 64;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return copied <= room;
}
