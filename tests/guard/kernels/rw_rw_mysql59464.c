/*
 * MySQL 59464, R-W|R-W: the next free slot of an array is taken by two threads.
 */
#include "kernel.h"

static volatile unsigned next_slot;
static volatile int slots[4];

static void bump(void)
{
    FIX_LOCK();
    unsigned mine = next_slot;
    __atomic_fetch_add(&slots[mine & 3], 1, __ATOMIC_RELAXED);
    gap(1500);
    next_slot = mine + 1;
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
    return slots[0] == 1 && slots[1] == 1;
}
