// The waiter holds another mutex than the setter.
// EXPECT: data-race SET/write TEST
#include "../twin.h"

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
    LOCK();
    while (!ready) // TEST
        pthread_cond_wait(&cond, &lock); // WAIT
    UNLOCK();
    return arg;
}
// ALLOW: deadlock WAIT JOIN

static void *setter(void *arg)
{
    pthread_mutex_lock(PICK(&other, &lock));
    ready = 1; // SET
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(PICK(&other, &lock));
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_join(t[0], NULL); // JOIN
    pthread_join(t[1], NULL);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    return 0;
}
