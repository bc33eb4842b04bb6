// Only one input value leads to the bug.
// EXPECT: data-race WORK/write WORK
// STATUS: candidate
#include "../twin.h"

#include <stdio.h>

static int n, code;

static void *work(void *arg)
{
    FIX(LOCK());
    if (code == 4711)
        n++; // WORK
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    if (scanf("%d", &code) != 1)
        return 1;
    run_two(work, work);
    return n;
}
