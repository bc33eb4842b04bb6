// The same with a release decrement and an acquire fence; without the fence the free races.
// EXPECT: data-race RACE1/write RACE2/free
// EXPECT-OBJECT: heap
// PEER: tsan may-miss: reports the free as a write
// PEER: tsan false-alarm: fences are not understood there
#include <stdatomic.h>
#include <stdlib.h>
#include "invisible.h"

struct object {
    atomic_int count;
    int value;
};
static struct object *object;

static void drop(int change)
{
    if (change)
        object->value = change; // RACE1
    if (atomic_fetch_sub_explicit(&object->count, 1, memory_order_release) == 1) {
        FIX(atomic_thread_fence(memory_order_acquire));
        free(object); // RACE2
    }
}

static void first(void)
{
    drop(1);
}

static void second(void)
{
    drop(0);
}

int main(void)
{
    object = calloc(1, sizeof(*object));
    atomic_init(&object->count, 3);
    run_three_in_order(first, first, second);
    return 0;
}
