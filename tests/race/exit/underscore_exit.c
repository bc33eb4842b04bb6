// _exit leaves no time for anything; the finding is in the report.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 3
// EXPECT-FIXED-EXIT: 3
// PEER: tsan may-miss: its exit status is lost
#include <unistd.h>
#include "invisible.h"

int shared;

static void first(void)
{
    shared = 1; // RACE1
}

static void second(void)
{
    BUG(shared = 2;) // RACE2
    _exit(3);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
