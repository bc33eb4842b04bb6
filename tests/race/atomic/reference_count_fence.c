// The same with a release decrement and an acquire fence; without the fence the free races.
// EXPECT: data-race RACE1/write RACE2/free
// EXPECT-OBJECT: heap
// EXPECT: data-race COUNT/atomic RACE2/free
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

static void drop(void)
{
    int left = atomic_fetch_sub_explicit(&object->count, 1, memory_order_release) - 1; // COUNT
    if (left == 0) {
        FIX(atomic_thread_fence(memory_order_acquire));
        free(object); // RACE2
    }
}

static void first(void)
{
    object->value = 1; // RACE1
    drop();
}

int main(void)
{
    object = calloc(1, sizeof(*object));
    atomic_init(&object->count, 3);
    run_three_in_order(first, drop, drop);
    return 0;
}
