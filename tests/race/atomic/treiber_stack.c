// Treiber's stack: a pushed node is read by who pops it. (Nothing is freed: that would need more.)
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: heap
// PEER: tsan misses: names the allocation, which it takes for a write
#include <stdatomic.h>
#include <stdlib.h>
#include "invisible.h"

struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) top;
static int sum;
#define SHOW PICK(memory_order_relaxed, memory_order_release)

static void push(int value)
{
    struct node *n = malloc(sizeof(*n));
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    n->value = value; // RACE1
    do
        n->next = old; // RACE1
    while (!atomic_compare_exchange_weak_explicit(&top, &old, n, SHOW, memory_order_relaxed));
}

static int pop(void)
{
    struct node *n = atomic_load_explicit(&top, memory_order_acquire);
    while (!atomic_compare_exchange_weak_explicit(&top, &n, n->next, memory_order_acquire, // RACE2
                                                  memory_order_acquire))
        ;
    return n->value; // RACE2
}

static void first(void)
{
    for (int i = 1; i <= 3; i++)
        push(i);
}

static void second(void)
{
    for (int i = 1; i <= 3; i++)
        sum += pop();
}

int main(void)
{
    run_in_order(first, second);
    return sum - 6;
}
