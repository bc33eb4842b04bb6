// Two threads wait on one condition variable with different mutexes.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global cond
// PEER: tsan misses: not checked there
#include "invisible.h"

pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int go;

static void *first(void *arg)
{
    pthread_mutex_lock(&one);
    hidden_post(0);
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
        pthread_cond_wait(&cond, &one);
    pthread_mutex_unlock(&one);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_t *mine = PICK(&two, &one);
    hidden_wait(0);
    pthread_mutex_lock(&one); /* the first waits by now */
    pthread_mutex_unlock(&one);
    pthread_mutex_lock(mine);
    hidden_post(1);
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
        pthread_cond_wait(&cond, mine); // BAD
    pthread_mutex_unlock(mine);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    hidden_wait(1);
    pthread_mutex_lock(PICK(&two, &one)); /* the second waits by now, too */
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(PICK(&two, &one));
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
