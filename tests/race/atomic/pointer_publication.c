// A list node is filled, then its address stored: readers need release and acquire (or consume).
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC
// PEER: tsan misses: names the allocation, which it takes for a write
#include <stdatomic.h>
#include <stdlib.h>
#include "invisible.h"

struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) head;
static int sum;

static void publish(int value)
{
    struct node *n = malloc(sizeof(*n));                         // ALLOC
    n->next = atomic_load_explicit(&head, memory_order_relaxed); // RACE1
    n->value = value;                                            // RACE1
    atomic_store_explicit(&head, n, PICK(memory_order_relaxed, memory_order_release));
}

static void writer(void)
{
    for (int i = 1; i <= 3; i++)
        publish(i);
}

static void reader(void)
{
    struct node *n = atomic_load_explicit(&head, memory_order_acquire);
    for (; n; n = n->next) // RACE2
        sum += n->value;   // RACE2
}

int main(void)
{
    run_in_order(writer, reader);
    for (struct node *n = head, *next; n; n = next) {
        next = n->next;
        free(n);
    }
    return sum - 6;
}
