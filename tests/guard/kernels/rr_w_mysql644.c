/*
 * MySQL 644, R-R|W: a query is looked at, found to be there, and looked at again for printing; in
 * between its thread has finished it and taken it away.
 */
#include "kernel.h"

static const char *volatile query = "select 1";
static volatile size_t printed;

static void one(void)
{
    start(0);
    FIX_LOCK();
    if (query) {
        gap(1500);
        printed = strlen(query);
    }
    FIX_UNLOCK();
}

static void two(void)
{
    start(600);
    FIX_LOCK();
    query = 0;
    FIX_UNLOCK();
}

static int is_correct(void)
{
    return printed == 0 || printed == 8;
}
