// longjmp leaves calls without returning from them; later stacks must not show them.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global data
// EXPECT-STACK: RACE1 after_jump first
#include <setjmp.h>
#include "invisible.h"

int data;
static jmp_buf back;
static volatile int armed = 1;

__attribute__((noinline)) static void dive(int depth)
{
    if (depth == 0 && armed)
        longjmp(back, 1);
    if (depth < 0)
        return;
    dive(depth - 1);
    hidden_count(0);
}

__attribute__((noinline)) static void after_jump(void)
{
    data = 1; // RACE1
    hidden_count(0);
}

static void first(void)
{
    for (volatile int i = 0; i < 100; i++)
        if (!setjmp(back))
            dive(50);
    after_jump();
    hidden_count(0);
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
