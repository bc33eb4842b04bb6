// A mutex is unlocked by a thread that does not hold it.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global mutex
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&mutex);
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    BUG(pthread_mutex_unlock(&mutex);) // BAD
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
