// Each context has a stack of calls of its own, also after it was left in the middle and resumed.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-STACK: RACE1 inner outer
// EXPECT-STACK: RACE2 second
// FLAGS: -fno-inline -fno-optimize-sibling-calls
#include <stdlib.h>
#include <ucontext.h>
#include "invisible.h"

int value;
static ucontext_t main_context, fiber;
static volatile int sink;

static void inner(void)
{
    swapcontext(&fiber, &main_context);
    BUG(value = 1;) // RACE1
    sink++;
}

static void outer(void)
{
    inner();
    sink++;
}

static void deep_resume(int depth)
{
    if (depth)
        deep_resume(depth - 1);
    else
        swapcontext(&main_context, &fiber);
    sink++;
}

static void first(void)
{
    enum { STACK = 1 << 16 };
    void *stack = malloc(STACK);
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = STACK;
    fiber.uc_link = &main_context;
    makecontext(&fiber, outer, 0);
    deep_resume(5);
    deep_resume(10);
    free(stack);
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
