/* aba.c: a stack whose compare-and-swap cannot tell a node that came back from one that never left. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic next;
    atomic_int owners;
};

static struct node nodes[3];
static struct node *_Atomic top;

static struct node *pop(void)
{
    struct node *t, *next;
    do {
        t = atomic_load(&top);
        if (!t)
            return NULL;
        next = atomic_load(&t->next);
    } while (!atomic_compare_exchange_strong(&top, &t, next));
    assert(atomic_fetch_add(&t->owners, 1) == 0); /* nobody else has it */
    return t;
}

static void push(struct node *n)
{
    struct node *t;
    atomic_fetch_sub(&n->owners, 1);
    do {
        t = atomic_load(&top);
        atomic_store(&n->next, t);
    } while (!atomic_compare_exchange_strong(&top, &t, n));
}

static void *one(void *arg)
{
    struct node *n = pop();
    if (n)
        push(n);
    return arg;
}

static void *other(void *arg)
{
    struct node *a = pop(), *b = pop();
    if (a)
        push(a);
    struct node *c = pop(), *d = pop();
    (void)b, (void)c, (void)d;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 3; i++)
        nodes[i].next = i < 2 ? &nodes[i + 1] : NULL;
    top = &nodes[0];
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
