/*
 * Mozilla 270689, R-W|R-W: "if not yet initialised, initialise" by two threads: it is done twice.
 */
#include "kernel.h"

static volatile int initialised;
static volatile int times;

static void init_once(void)
{
    FIX_LOCK();
    if (!initialised) {
        gap(1500);
        initialised = 1;
        __atomic_fetch_add(&times, 1, __ATOMIC_RELAXED);
    }
    FIX_UNLOCK();
}

static void one(void)
{
    start(0);
    init_once();
}

static void two(void)
{
    start(600);
    init_once();
}

static int is_correct(void)
{
    return times == 1;
}
