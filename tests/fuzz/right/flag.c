/* flag.c: a flag that is waited for in a loop, with and without yielding. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready, seen;
static int value;

static void *one(void *arg)
{
    value = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    while (!atomic_load(&seen))
        sched_yield();
    return arg;
}

static void *other(void *arg)
{
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        ;
    assert(value == 42);
    atomic_store(&seen, 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
