/* hand_over_hand.c: a list whose nodes are locked one after the other. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4 };
static struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
} node[N];

static void *one(void *arg)
{
    struct node *n = &node[0];
    pthread_mutex_lock(&n->lock);
    while (n) {
        struct node *next = n->next;
        n->value++;
        if (next)
            pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&n->lock);
        n = next;
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < N; i++) {
        pthread_mutex_init(&node[i].lock, NULL);
        node[i].next = i + 1 < N ? &node[i + 1] : NULL;
    }
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(node[N - 1].value == 2);
    return 0;
}
