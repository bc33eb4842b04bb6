/* treiber.c: a lock-free stack, correct by its atomics. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdatomic.h>

enum { N = 4 };
struct node {
    struct node *below;
    int value;
};
static _Atomic(struct node *) top;
static atomic_int sum;

static void push(struct node *n)
{
    n->below = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &n->below, n))
        ;
}

static void *one(void *arg)
{
    for (int i = 0; i < N; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        push(n);
    }
    return arg;
}

/* Takes all at once: nothing is taken twice, and no ABA. */
static void *other(void *arg)
{
    for (int i = 0; i < N; i++)
        for (struct node *n = atomic_exchange(&top, NULL), *below; n; n = below) {
            below = n->below;
            atomic_fetch_add(&sum, n->value + 1);
            free(n);
        }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    other(NULL);
    assert(sum == N * (N + 1) / 2);
    return 0;
}
