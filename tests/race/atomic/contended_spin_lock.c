// Four threads meet on a spin lock of exchanges; the bug forgets it in one place.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global counter
// EXPECT-STDOUT: 400
#include <stdatomic.h>
#include <stdio.h>
#include "invisible.h"

int counter;
atomic_int lock;

static void *worker(void *arg)
{
    hidden_meet(0, 4);
    for (int i = 0; i < 100; i++) {
        while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
            ;
        counter++; // RACE1
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
    hidden_post(1);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    hidden_wait_times(1, 4);
    FIX(atomic_load_explicit(&lock, memory_order_acquire));
    printf("%d\n", counter); // RACE2
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
