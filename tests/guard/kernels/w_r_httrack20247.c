/*
 * HTTrack 20247, W-R: the global options are used by a thread that was started before they were
 * set; another access of the same thread comes in between (figure 8), which hides it from PSet.
 */
#include "kernel.h"

static int options_storage = 11;
static int *volatile global_opt;
static volatile int was_null, used;

static void one(void)
{
    start(0);
    usually_first();
    global_opt = &options_storage;
    FIX_POST();
}

static void two(void)
{
    start(0);
    was_null = global_opt == 0;
    usually_later();
    FIX_WAIT();
    used = *global_opt;
}

static int is_correct(void)
{
    return used == 11;
}
