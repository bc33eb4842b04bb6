/*
 * Mozilla 341323, R-R|W: the script's file name is looked up twice while the garbage collector of
 * another thread sweeps the table.
 */
#include "kernel.h"

static char name[] = "a.js";
struct entry {
    char *volatile filename;
};
static struct entry entry = {name};
static volatile int length;

static void one(void)
{
    start(0);
    FIX_LOCK();
    if (entry.filename != 0) {
        gap(1500);
        length = (int)strlen(entry.filename);
    }
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    entry.filename = 0;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return length == 0 || length == 4;
}
