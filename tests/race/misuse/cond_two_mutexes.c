// Two threads wait on one condition variable with different mutexes.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global cond
// EXPECT-TEXT: two mutexes at once
#include "invisible.h"

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int go, waiting;

static void wait_with(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    waiting++;
    while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&cond, mutex); // HERE
    pthread_mutex_unlock(mutex);
}

static void *one(void *arg)
{
    wait_with(&first);
    return arg;
}

static int is_waiting(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    int n = waiting;
    pthread_mutex_unlock(mutex);
    return n;
}

static void *other(void *arg)
{
    wait_with(PICK(&second, &first));
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    while (!is_waiting(&first))
        continue;
    pthread_create(&b, NULL, other, NULL);
    while (is_waiting(PICK(&second, &first)) < 2)
        continue;
    __atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&first);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&first);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
