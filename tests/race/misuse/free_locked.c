// Memory is freed while a mutex in it is locked, by the thread itself and by another one.
// EXPECT: misuse OWN
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOCATED
// EXPECT-TEXT: memory is freed that has a locked mutex in it
// EXPECT: misuse OTHERS
// EXPECT-TEXT: memory is freed that has a locked mutex in it
// EXPECT: misuse RWLOCK
// EXPECT-TEXT: memory is freed that has a locked rwlock in it
#include "invisible.h"

#include <stdlib.h>

struct account {
    long balance[100];
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
};

static struct account *new_account(void)
{
    struct account *a = calloc(1, sizeof *a); // ALLOCATED
    pthread_mutex_init(&a->mutex, NULL);
    pthread_rwlock_init(&a->rwlock, NULL);
    return a;
}

static void *hold(void *arg)
{
    struct account *a = arg;
    pthread_mutex_lock(&a->mutex);
    FIX(pthread_mutex_unlock(&a->mutex));
    hidden_post(1);
    hidden_wait(2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct account *a = new_account(), *b = new_account(), *c = new_account();
    pthread_mutex_lock(&a->mutex);
    FIX(pthread_mutex_unlock(&a->mutex));
    free(a); // OWN
    pthread_create(&thread, NULL, hold, b);
    hidden_wait(1);
    FIX(pthread_mutex_lock(&b->mutex); pthread_mutex_unlock(&b->mutex));
    free(b); // OTHERS
    hidden_post(2);
    pthread_join(thread, NULL);
    pthread_rwlock_wrlock(&c->rwlock);
    FIX(pthread_rwlock_unlock(&c->rwlock));
    free(c); // RWLOCK
    return 0;
}
