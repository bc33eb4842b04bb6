/*
 * Mozilla 61369, W-R: a thread's own record is read by the thread before its creator has stored it.
 */
#include "kernel.h"

static int record = 9;
static int *volatile thread_record;
static volatile int state;

static void one(void)
{
    usually_first();
    thread_record = &record;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    state = *thread_record;
}

static int is_correct(void)
{
    return state == 9;
}
