// A third lock that both hold keeps the inversion from ever becoming a deadlock.
// EXPECT: lock-order TAKE1 TAKE2
// PEER: tsan false-alarm: gate locks are not seen there
#include "invisible.h"

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // TAKE1
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&gate);
}

static void second(void)
{
    FIX(pthread_mutex_lock(&gate));
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // TAKE2
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    FIX(pthread_mutex_unlock(&gate));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
