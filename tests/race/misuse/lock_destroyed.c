// A mutex is locked after it was destroyed; the fixed twin initialises it again.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global mutex
// EXPECT-TEXT: lock of a mutex that was destroyed
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    FIX(pthread_mutex_init(&mutex, NULL));
    if (pthread_mutex_lock(&mutex) == 0) // HERE
        pthread_mutex_unlock(&mutex);
    return 0;
}
