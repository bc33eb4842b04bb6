/*
 * MySQL 48930, W-W: a thread sets its state when it begins and its creator sets the first state
 * afterwards: the creator's must come first.
 */
#include "kernel.h"

enum { NEW = 1, RUNNING };
static volatile int state;

static void one(void)
{
    usually_first();
    state = NEW;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    state = RUNNING;
}

static int is_correct(void)
{
    return state == RUNNING;
}
