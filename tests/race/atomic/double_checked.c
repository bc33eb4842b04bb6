// Double-checked initialisation: the first look must be an acquire load.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: heap
// PEER: tsan misses: names the allocation, which it takes for a write
#include <stdatomic.h>
#include <stdlib.h>
#include "invisible.h"

static _Atomic(int *) instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int seen;
#define LOOK PICK(memory_order_relaxed, memory_order_acquire)
#define SHOW PICK(memory_order_relaxed, memory_order_release)

static int *get_instance(void)
{
    int *p = atomic_load_explicit(&instance, LOOK);
    if (p)
        return p;
    pthread_mutex_lock(&mutex);
    p = atomic_load_explicit(&instance, memory_order_relaxed);
    if (!p) {
        p = malloc(sizeof(*p));
        *p = 42; // RACE1
        atomic_store_explicit(&instance, p, SHOW);
    }
    pthread_mutex_unlock(&mutex);
    return p;
}

static void first(void)
{
    get_instance();
}

static void second(void)
{
    seen = *get_instance(); // RACE2
}

int main(void)
{
    run_in_order(first, second);
    free(get_instance());
    return seen - 42;
}
