// The exit_group system call itself, past every library function.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 4
// EXPECT-FIXED-EXIT: 4
#include <sys/syscall.h>
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
    syscall(SYS_exit_group, 4);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
