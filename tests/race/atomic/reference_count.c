// The last owner frees: dropping a reference needs release, and acquire before the free.
// EXPECT: data-race RACE1/write RACE2/free
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

static void drop(void)
{
    object->value++; // RACE1
    if (atomic_fetch_sub_explicit(&object->count, 1,
                                  PICK(memory_order_relaxed, memory_order_acq_rel)) == 1)
        free(object); // RACE2
}

static void first(void)
{
    drop();
}

static void second(void)
{
    struct object *last = object;
    if (atomic_fetch_sub_explicit(&last->count, 1,
                                  PICK(memory_order_relaxed, memory_order_acq_rel)) == 1)
        free(last); // RACE2
}

int main(void)
{
    object = calloc(1, sizeof(*object));
    atomic_init(&object->count, 2);
    run_in_order(first, second);
    return 0;
}
