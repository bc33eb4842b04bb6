// A mutex is destroyed while it is locked.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global mutex
#include "invisible.h"

pthread_mutex_t mutex;

int main(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    FIX(pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex); // BAD
    return 0;
}
