// Locks are taken hand over hand along a list; one step leaves a gap.
// EXPECT: data-race VALUE VALUE
#include "../twin.h"

struct node {
    pthread_mutex_t mutex;
    struct node *next;
    int value;
} a = {PTHREAD_MUTEX_INITIALIZER, NULL, 1}, b = {PTHREAD_MUTEX_INITIALIZER, &a, 2};

static void *walk(void *arg)
{
    struct node *n = &b;
    pthread_mutex_lock(&n->mutex);
    while (n) {
        n->value++; // VALUE
        struct node *next = n->next;
        FIX(if (next) pthread_mutex_lock(&next->mutex));
        pthread_mutex_unlock(&n->mutex);
        BUG(if (next) next->value++); // VALUE
        BUG(if (next) pthread_mutex_lock(&next->mutex));
        n = next;
    }
    return arg;
}

int main(void)
{
    run_two(walk, walk);
    return a.value;
}
