// A locked mutex is initialised again.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global mutex
// PEER: tsan misses: not checked there
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&mutex);
    FIX(pthread_mutex_unlock(&mutex));
    pthread_mutex_init(&mutex, NULL); // BAD
    return 0;
}
