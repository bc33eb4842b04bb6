/*
 * MySQL 3596, R-R|W: proc_info is tested and then passed to fputs; another thread sets it to null
 * in between.
 */
#include "kernel.h"

static char state[] = "Sending data";
static char *volatile proc_info = state;
static volatile char first;

static void one(void)
{
    start(0);
    FIX_LOCK();
    if (proc_info) {
        gap(1500);
        first = proc_info[0];
    }
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    proc_info = 0;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return first == 0 || first == 'S';
}
