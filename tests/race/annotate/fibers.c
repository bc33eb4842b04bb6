// Two fibers of one thread are two threads to the detector, unless a switch says that it orders.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global data
// EXPECT-STACK: RACE1 write_it
#include <sanitizer/tsan_interface.h>
#include <stdlib.h>
#include <ucontext.h>
#include "invisible.h"

#define SWITCH PICK(__tsan_switch_to_fiber_no_sync, 0)

int data;
static ucontext_t outside, inside;
static void *main_fiber, *fiber;

__attribute__((noinline)) static void write_it(void)
{
    data = 1; // RACE1
    hidden_count(0);
}

static void coroutine(void)
{
    write_it();
    __tsan_switch_to_fiber(main_fiber, SWITCH);
    swapcontext(&inside, &outside);
}

int main(void)
{
    void *stack = malloc(256 << 10);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = 256 << 10;
    makecontext(&inside, coroutine, 0);
    main_fiber = __tsan_get_current_fiber();
    fiber = __tsan_create_fiber(0);
    __tsan_set_fiber_name(fiber, "worker");
    __tsan_switch_to_fiber(fiber, SWITCH);
    swapcontext(&outside, &inside);
    data = 2; // RACE2
    __tsan_destroy_fiber(fiber);
    free(stack);
    return 0;
}
