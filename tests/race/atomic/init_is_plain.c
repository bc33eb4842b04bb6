// atomic_init is a plain write: it must be over before others use the object.
// EXPECT: data-race RACE1/write RACE2
// EXPECT-OBJECT: global state
// ONLY: clang (gcc makes it a relaxed store)
#include <stdatomic.h>
#include "invisible.h"

atomic_int state;

static void *child(void *arg)
{
    hidden_wait(0);
    atomic_fetch_add_explicit(&state, 1, memory_order_relaxed); // RACE2
    return arg;
}

int main(void)
{
    pthread_t t;
    FIX(atomic_init(&state, 5));
    pthread_create(&t, NULL, child, NULL);
    BUG(atomic_init(&state, 5);) // RACE1
    hidden_post(0);
    pthread_join(t, NULL);
    return state - 6;
}
