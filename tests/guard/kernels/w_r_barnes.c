/*
 * Barnes of SPLASH-2 (LOOM), W-R: the number of bodies done is read after the first store, not
 * after the last one: a W-R violation that only program counters tell apart (figure 14).
 */
#include "kernel.h"

static volatile int done;
static volatile int seen;

static void one(void)
{
    usually_first();
    done = 1;
    gap(1000);
    done = 2;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    seen = done;
}

static int is_correct(void)
{
    return seen == 2;
}
