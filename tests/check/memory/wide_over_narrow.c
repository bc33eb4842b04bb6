// Eight bytes at once overlap one byte of another thread.
// EXPECT: data-race WIDE/write/8 NARROW/write/1
#include "../twin.h"

union {
    long all;
    char part[16];
} value;

static void *wide(void *arg)
{
    value.all = 7; // WIDE
    return arg;
}

static void *narrow(void *arg)
{
    value.part[PICK(5, 9)] = 1; // NARROW
    return arg;
}

int main(void)
{
    run_two(wide, narrow);
    return 0;
}
