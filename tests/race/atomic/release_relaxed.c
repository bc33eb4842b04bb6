// A release store read by a relaxed load gives no order.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_char flag;

static void first(void)
{
    data = 1; // RACE1
    atomic_store_explicit(&flag, 1, memory_order_release);
}

static void second(void)
{
    if (atomic_load_explicit(&flag, PICK(memory_order_relaxed, memory_order_seq_cst)))
        seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
