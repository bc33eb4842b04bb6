// trylock with giving back is no deadlock.
// EXPECT: deadlock INNER WANT
#include "../twin.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // INNER
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    for (int tries = 0; tries < 5; tries++) {
        pthread_mutex_lock(&b);
        BUG(pthread_mutex_lock(&a)); // WANT
        FIX(if (pthread_mutex_trylock(&a)) { pthread_mutex_unlock(&b); continue; })
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
        break;
    }
    return arg;
}

int main(void)
{
    run_two(first, second);
    return 0;
}
