// A read-modify-write of another thread continues the release sequence; a plain store does not.
// EXPECT: data-race DATA/write USE/read
#include "../twin.h"

#include <stdatomic.h>

static int data, seen;
static atomic_int state;

static void *producer(void *arg)
{
    data = 1; // DATA
    atomic_store_explicit(&state, 1, memory_order_release);
    return arg;
}

static void *middle(void *arg)
{
    if (atomic_load_explicit(&state, memory_order_relaxed) == 1)
        PICK(atomic_store_explicit, atomic_fetch_add_explicit)(&state, PICK(2, 1), memory_order_relaxed);
    return arg;
}

static void *consumer(void *arg)
{
    if (atomic_load_explicit(&state, memory_order_acquire) == 2)
        seen = data; // USE
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, middle, NULL);
    pthread_create(&t[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return seen;
}
