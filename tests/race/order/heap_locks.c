// Locks in heap blocks; a new lock at an old lock's address is another lock.
// EXPECT: lock-order TAKE1 TAKE2
#include <stdlib.h>
#include "invisible.h"

static pthread_mutex_t *a, *b;

static pthread_mutex_t *new_lock(void)
{
    pthread_mutex_t *m = malloc(sizeof(*m));
    pthread_mutex_init(m, NULL);
    return m;
}

static void drop_lock(pthread_mutex_t *m)
{
    pthread_mutex_destroy(m);
    free(m);
}

static void first(void)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b); // TAKE1
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
    hidden_post(0);
}

static void second(void)
{
    hidden_wait(0);
    pthread_mutex_lock(b);
    pthread_mutex_lock(a); // TAKE2
    pthread_mutex_unlock(a);
    pthread_mutex_unlock(b);
}

static void *run(void *body)
{
    ((hidden_body *)body)();
    return NULL;
}

int main(void)
{
    pthread_t s, t;
    a = new_lock();
    b = new_lock();
    pthread_create(&s, NULL, run, (void *)first);
    BUG(pthread_create(&t, NULL, run, (void *)second));
    pthread_join(s, NULL);
    FIX(drop_lock(a), drop_lock(b));
    FIX(a = new_lock(), b = new_lock());
    FIX(pthread_create(&t, NULL, run, (void *)second));
    pthread_join(t, NULL);
    drop_lock(a);
    drop_lock(b);
    return 0;
}
