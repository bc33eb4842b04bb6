// The first thread has been joined before the second starts: the two orders cannot meet.
// EXPECT: lock-order TAKE1 TAKE2
// PEER: tsan false-alarm: joins are not seen there
#include "invisible.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // TAKE1
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    hidden_post(0);
    return arg;
}

static void *second(void *arg)
{
    hidden_wait(0);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // TAKE2
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    FIX(pthread_join(s, NULL));
    pthread_create(&t, NULL, second, NULL);
    pthread_join(t, NULL);
    BUG(pthread_join(s, NULL));
    return 0;
}
