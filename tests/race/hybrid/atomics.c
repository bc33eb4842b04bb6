// Atomic accesses do not race with each other, but with plain ones; and they are no messages: the
// counter is a chance order.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// PEER: tsan may-miss: it counts the order of locks and of atomics
// EXPECT: data-race PLAIN/write ATOMIC/atomic
// EXPECT: data-race DATA1/write DATA2/write
#include "invisible.h"

int flag, counter, data;

static void first(void)
{
    BUG(data = 1;) // DATA1
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    BUG(flag = 1;) // PLAIN
    FIX(__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);)
}

static void second(void)
{
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    (void)__atomic_load_n(&flag, __ATOMIC_RELAXED); // ATOMIC
    BUG(data = 2;) // DATA2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
