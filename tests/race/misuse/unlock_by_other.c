// A mutex is unlocked by a thread that does not hold it.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global mutex
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *owner(void *arg)
{
    pthread_mutex_lock(&mutex);
    hidden_post(0);
    BUG(hidden_wait(1));
    FIX(pthread_mutex_unlock(&mutex));
    return arg;
}

static void *other(void *arg)
{
    hidden_wait(0);
    BUG(pthread_mutex_unlock(&mutex);) // BAD
    hidden_post(1);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, owner, NULL);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
