/*
 * MySQL 791, W-W|R: while the binary log changes to a new file it is closed for a moment; a
 * statement that looks at it then is not logged.
 */
#include "kernel.h"

enum { CLOSED, OPEN };
static volatile int log_state = OPEN;
static volatile int logged = -1;

static void one(void)
{
    start(0);
    FIX_LOCK();
    log_state = CLOSED;
    gap(1500);
    log_state = OPEN;
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    logged = log_state == OPEN;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return logged == 1;
}
