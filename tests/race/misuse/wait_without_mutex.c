// A wait on a condition variable with a mutex that the thread does not hold.
// EXPECT: misuse BAD
// PEER: tsan may-miss: names the unlock inside the wait
#include <time.h>
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

int main(void)
{
    struct timespec past = {0, 0};
    FIX(pthread_mutex_lock(&mutex));
    pthread_cond_timedwait(&cond, &mutex, &past); // BAD
    pthread_mutex_unlock(&mutex);
    return 0;
}
