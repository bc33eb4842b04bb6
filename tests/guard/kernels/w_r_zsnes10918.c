/*
 * ZSNES 10918, W-R: a mutex is used by the sound thread before the main thread has initialised it;
 * here the word that says so.
 */
#include "kernel.h"

static volatile int mutex_ready;
static volatile int used_too_early;

static void one(void)
{
    usually_first();
    mutex_ready = 1;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    used_too_early = !mutex_ready;
}

static int is_correct(void)
{
    return !used_too_early;
}
