// A circle of three threads over a mutex, an rwlock and a spin lock.
// EXPECT: deadlock ONE TWO THREE
// PEER: tsan cannot: hangs
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;

static void meet(int me)
{
    hidden_post(me);
    for (int i = 0; i < 3; i++) {
        hidden_wait(i);
        hidden_post(i);
    }
}

static void *one(void *arg)
{
    pthread_mutex_lock(&mutex);
    meet(0);
    FIX(pthread_mutex_unlock(&mutex));
    pthread_rwlock_rdlock(&rwlock); // ONE
    pthread_rwlock_unlock(&rwlock);
    BUG(pthread_mutex_unlock(&mutex);)
    return arg;
}

static void *two(void *arg)
{
    pthread_rwlock_wrlock(&rwlock);
    meet(1);
    FIX(pthread_rwlock_unlock(&rwlock));
    pthread_spin_lock(&spin); // TWO
    pthread_spin_unlock(&spin);
    BUG(pthread_rwlock_unlock(&rwlock);)
    return arg;
}

static void *three(void *arg)
{
    pthread_spin_lock(&spin);
    meet(2);
    FIX(pthread_spin_unlock(&spin));
    pthread_mutex_lock(&mutex); // THREE
    pthread_mutex_unlock(&mutex);
    BUG(pthread_spin_unlock(&spin);)
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_create(&t[2], NULL, three, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
