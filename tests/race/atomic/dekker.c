// Dekker's lock with sequentially consistent atomics; relaxed ones order nothing.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#include <stdatomic.h>
#include "invisible.h"

atomic_int wants[2], turn;
int counter;
#define ORDER PICK(memory_order_relaxed, memory_order_seq_cst)
#define LOAD(x) atomic_load_explicit(&x, ORDER)
#define STORE(x, value) atomic_store_explicit(&x, value, ORDER)

static void critical(int me)
{
    STORE(wants[me], 1);
    while (LOAD(wants[!me])) {
        if (LOAD(turn) == me)
            continue;
        STORE(wants[me], 0);
        while (LOAD(turn) != me)
            ;
        STORE(wants[me], 1);
    }
    counter++; // RACE1
    STORE(turn, !me);
    STORE(wants[me], 0);
}

static void first(void)
{
    critical(0);
}

static void second(void)
{
    critical(1);
}

int main(void)
{
    run_in_order(first, second);
    return counter - 2;
}
