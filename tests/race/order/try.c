// The second lock taken by trylock on one side: nobody waits, no deadlock.
// EXPECT: lock-order TAKE1 TAKE2
#include "invisible.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // TAKE1
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}

static void second(void)
{
    pthread_mutex_lock(&b);
    if (!PICK(pthread_mutex_lock, pthread_mutex_trylock)(&a)) // TAKE2
        pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
