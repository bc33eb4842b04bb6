/*
 * Mozilla 52111, W-W|R: a cached pointer is cleared and then set to the new object; a reader in
 * between takes the null.
 */
#include "kernel.h"

static int objects[2] = {5, 6};
static int *volatile current = &objects[0];
static volatile int got;

static void one(void)
{
    start(0);
    FIX_LOCK();
    current = 0;
    gap(1500);
    current = &objects[1];
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    got = *current;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return got == 5 || got == 6;
}
