// Peterson's lock with sequentially consistent atomics; relaxed ones order nothing.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#include <stdatomic.h>
#include "invisible.h"

atomic_int wants[2], turn;
int counter;
#define ORDER PICK(memory_order_relaxed, memory_order_seq_cst)

static void enter(int me)
{
    atomic_store_explicit(&wants[me], 1, ORDER);
    atomic_store_explicit(&turn, !me, ORDER);
    while (atomic_load_explicit(&wants[!me], ORDER) && atomic_load_explicit(&turn, ORDER) == !me)
        ;
}

static void leave(int me)
{
    atomic_store_explicit(&wants[me], 0, ORDER);
}

static void *worker(void *arg)
{
    int me = arg != NULL;
    hidden_wait_times(0, me); /* the second comes when the first has been inside */
    for (int i = 0; i < PICK(1, 20); i++) {
        enter(me);
        counter++; // RACE1
        leave(me);
        hidden_post(0);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counter - PICK(2, 40);
}
