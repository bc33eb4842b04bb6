// After a longjmp out of deep calls the stack of an access is that of the place that was jumped to.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-STACK: RACE1 after_jump first
// EXPECT-STACK: RACE2 second
// FLAGS: -fno-inline -fno-optimize-sibling-calls
#include <setjmp.h>
#include "invisible.h"

int value;
static jmp_buf back;
static volatile int sink;

static void dive(int depth)
{
    if (depth == 0)
        longjmp(back, 1);
    if (sink >= 0)
        dive(depth - 1);
    sink++;
}

static void after_jump(void)
{
    BUG(value = 1;) // RACE1
    sink++;
}

static void first(void)
{
    if (setjmp(back) == 0)
        dive(50);
    after_jump();
    sink++;
}

static void second(void)
{
    value = 2; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
