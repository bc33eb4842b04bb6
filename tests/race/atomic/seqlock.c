// A sequence lock must read its data with atomics; plain reads race although they are repeated.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global pair
#include <stdatomic.h>
#include "invisible.h"

#ifdef FIXED
atomic_int pair[2];
#define STORE(place, value) atomic_store_explicit(&place, value, memory_order_relaxed)
#define LOAD(place) atomic_load_explicit(&place, memory_order_relaxed)
#else
int pair[2];
#define STORE(place, value) place = value
#define LOAD(place) place
#endif
atomic_uint sequence;
int differences;

static void put(int value)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    STORE(pair[0], value); // RACE1
    STORE(pair[1], value); // RACE1
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
}

static int get(void)
{
    unsigned before, after;
    int a, b;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = LOAD(pair[0]); // RACE2
        b = LOAD(pair[1]); // RACE2
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while ((before & 1) || before != after);
    return a != b;
}

static void *writer(void *arg)
{
    hidden_wait(0);
    for (int i = 1; i <= 100; i++)
        put(i);
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 100; i++, hidden_post(0))
        differences += get();
    return arg;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return differences;
}
