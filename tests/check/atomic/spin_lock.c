// A spin lock made of an exchange; the buggy one gives it back too early.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#include <stdatomic.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;
static int n;

static void *work(void *arg)
{
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        ;
    BUG(atomic_flag_clear_explicit(&flag, memory_order_release));
    n++; // WORK
    FIX(atomic_flag_clear_explicit(&flag, memory_order_release));
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
