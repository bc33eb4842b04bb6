/*
 * LU of SPLASH-2 (LOOM), W-R: the result of the factorisation is summed up before it is there.
 */
#include "kernel.h"

static volatile double diagonal;
static volatile double sum;

static void one(void)
{
    usually_first();
    diagonal = 2.5;
    FIX_POST();
}

static void two(void)
{
    usually_later();
    FIX_WAIT();
    sum = diagonal * 2;
}

static int is_correct(void)
{
    return sum == 5.0;
}
