// Two threads take two locks in opposite order and meet.
// EXPECT: deadlock FIRST/lock SECOND/lock
// ALLOW: lock-order FIRST SECOND
// PEER: tsan cannot: hangs
#include "invisible.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *arg)
{
    pthread_mutex_lock(PICK(&b, &a));
    hidden_post(0);
    BUG(hidden_wait(1));
    pthread_mutex_lock(PICK(&a, &b)); // FIRST
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    BUG(pthread_mutex_lock(&a);)
    BUG(hidden_post(1);)
    hidden_wait(0);
    FIX(pthread_mutex_lock(&a));
    pthread_mutex_lock(&b); // SECOND
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
    return 0;
}
