// A mutex is unlocked twice.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global mutex
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    BUG(pthread_mutex_unlock(&mutex);) // BAD
    return 0;
}
