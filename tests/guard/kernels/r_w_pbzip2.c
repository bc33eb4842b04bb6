/*
 * pbzip2 0.9.4, R-W: main takes the queue's mutex away while a consumer still wants to use it. The
 * consumer's last look must come first.
 */
#include "kernel.h"

static int storage = 1;
static int *volatile queue_mutex = &storage;
static volatile int last_look;

static void one(void)
{
    usually_first();
    last_look = *queue_mutex;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    queue_mutex = 0;
}

static int is_correct(void)
{
    return last_look == 1;
}
