// SIGKILL after a race: nobody gets a chance to write anything, and still it is in the report.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 137
// EXPECT-FIXED-EXIT: 137
#include <signal.h>
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
    kill(getpid(), SIGKILL);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
