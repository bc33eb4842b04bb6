// A mutex is initialised a second time while it is locked.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global mutex
// EXPECT-TEXT: initialisation of a mutex that is locked
#include "invisible.h"

pthread_mutex_t mutex;

int main(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    FIX(pthread_mutex_unlock(&mutex); pthread_mutex_destroy(&mutex));
    pthread_mutex_init(&mutex, NULL); // HERE
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return 0;
}
