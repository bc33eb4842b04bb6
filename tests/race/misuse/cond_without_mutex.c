// A condition variable is waited on with a mutex that the thread does not hold.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global mutex
// EXPECT-TEXT: does not hold
#include <time.h>
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

int main(void)
{
    struct timespec past = {0, 0};
    FIX(pthread_mutex_lock(&mutex));
    pthread_cond_timedwait(&cond, &mutex, &past); // HERE
    pthread_mutex_unlock(&mutex);
    return 0;
}
