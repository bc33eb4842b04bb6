// A ticket lock; serving the next ticket without release order breaks it.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#include <stdatomic.h>
#include "invisible.h"

atomic_uint next_ticket, now_serving;
int counter;

static void both(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
        ;
    counter++; // RACE1
    atomic_store_explicit(&now_serving, mine + 1, PICK(memory_order_relaxed, memory_order_release));
}

int main(void)
{
    run_in_order(both, both);
    return counter - 2;
}
