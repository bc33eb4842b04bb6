// siglongjmp out of a signal handler.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global data
// EXPECT-STACK: RACE1 first
#include <setjmp.h>
#include <signal.h>
#include "invisible.h"

int data;
static sigjmp_buf back;
static volatile int *volatile nowhere;

static void handler(int signal)
{
    siglongjmp(back, signal);
}

static void first(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 3; i++)
        if (!sigsetjmp(back, 1))
            *nowhere = 1;
    data = 1; // RACE1
}

static void second(void)
{
    BUG(data = 2;) // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
