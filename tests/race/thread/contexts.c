// swapcontext moves one thread between stacks: still one thread, and its stacks are shown right.
// EXPECT: data-race RACE1 RACE2/write
// EXPECT-OBJECT: global data
// EXPECT-STACK: RACE1 step
#include <stdlib.h>
#include <ucontext.h>
#include "invisible.h"

int data;
static ucontext_t outside, inside;

__attribute__((noinline)) static void step(void)
{
    data++; // RACE1
    hidden_count(0);
}

static void coroutine(void)
{
    for (int i = 0; i < 10; i++) {
        step();
        swapcontext(&inside, &outside);
    }
}

static void first(void)
{
    void *stack = malloc(256 << 10);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = 256 << 10;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    for (int i = 0; i < 10; i++) {
        swapcontext(&outside, &inside);
        step();
    }
    free(stack);
}

static void second(void)
{
    BUG(data = 0;) // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
