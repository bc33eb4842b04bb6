/*
 * Apache 25520, R-R-W|R-R-W: the log buffer's fill count is tested for room, read as the place to
 * copy to, and then moved on; two requests write over each other's lines.
 */
#include "kernel.h"

static char buffer[64];
static volatile unsigned filled;

static void put(char c)
{
    FIX_LOCK();
    if (filled + 4 <= sizeof buffer) {
        gap(700);
        unsigned at = filled;
        for (unsigned i = 0; i < 4; i++)
            buffer[at + i] = c;
        gap(700);
        filled = at + 4;
    }
    FIX_UNLOCK();
}

static void one(void)
{
    start(0);
    put('a');
}

static void two(void)
{
    start(300);
    put('b');
}

static int is_correct(void)
{
    return filled == 8 && memchr(buffer, 'a', 8) && memchr(buffer, 'b', 8);
}
