// The last owner frees: dropping a reference needs release, and acquire before the free.
// EXPECT: data-race RACE1/write RACE2/free
// EXPECT-OBJECT: heap
// EXPECT: data-race COUNT/atomic RACE2/free
// EXPECT-OBJECT: heap
// PEER: tsan may-miss: reports the free as a write
#include <stdatomic.h>
#include <stdlib.h>
#include "invisible.h"

struct object {
    atomic_int count;
    int value;
};
static struct object *object;
#define ORDER PICK(memory_order_relaxed, memory_order_acq_rel)

static void drop(void)
{
    int left = atomic_fetch_sub_explicit(&object->count, 1, ORDER) - 1; // COUNT
    if (left == 0)
        free(object); // RACE2
}

static void first(void)
{
    object->value = 1; // RACE1
    drop();
}

int main(void)
{
    object = calloc(1, sizeof(*object));
    atomic_init(&object->count, 2);
    run_in_order(first, drop);
    return 0;
}
