/*
 * Transmission 1827, W-R: the event thread's handle is filled in by its creator, after the thread
 * was made; the thread asserts that it is there.
 */
#include "kernel.h"

struct handle {
    int alive;
};
static struct handle made = {1};
static struct handle *volatile event_handle;
static volatile int failed;

static void one(void)
{
    usually_first();
    event_handle = &made;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    struct handle *h = event_handle;
    if (!h || !h->alive)
        failed = 1;
}

static int is_correct(void)
{
    return !failed;
}
