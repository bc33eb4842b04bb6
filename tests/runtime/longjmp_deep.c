// longjmp out of deep recursion, again and again, also out of signal handlers on an alternate
// stack.

// FLAGS: -O0
#include <setjmp.h>
#include <signal.h>
#include "check.h"

static jmp_buf back;
static sigjmp_buf back_from_signal;
static volatile int depth_reached;

static int dive(int depth)
{
    depth_reached++;
    if (depth == 0)
        longjmp(back, 5);
    return dive(depth - 1) + 1;
}

static int dive_and_fault(int depth)
{
    if (depth == 0)
        raise(SIGUSR1);
    return dive_and_fault(depth - 1) + 1;
}

static void on_signal(int sig)
{
    (void)sig;
    siglongjmp(back_from_signal, 6);
}

static void *jumper(void *arg)
{
    jmp_buf here;
    for (volatile int i = 0; i < 1000; i++)
        if (_setjmp(here) == 0)
            _longjmp(here, 1);
    return arg;
}

int main(void)
{
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    stack_t alt = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    for (volatile int i = 0; i < 300; i++) {
        int r = setjmp(back);
        if (r == 0)
            dive(2000);
        CHECK(r == 5);
    }
    CHECK(depth_reached == 300 * 2001);
    if (setjmp(back) == 0)
        dive(50000);
    CHECK(sigaltstack(&alt, NULL) == 0 && sigaction(SIGUSR1, &a, NULL) == 0);
    for (volatile int i = 0; i < 300; i++) {
        int r = sigsetjmp(back_from_signal, 1);
        if (r == 0)
            dive_and_fault(100);
        CHECK(r == 6);
    }
    join(start(jumper, NULL));
    puts("ok");
}
