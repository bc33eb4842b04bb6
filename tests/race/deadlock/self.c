// A thread takes a plain mutex a second time.
// EXPECT: deadlock HERE/lock
// EXPECT-TEXT: holds itself
// PEER: tsan cannot: hangs
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void twice(void)
{
    pthread_mutex_lock(&mutex); // HERE
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    BUG(pthread_mutex_lock(&mutex);)
    twice();
    BUG(pthread_mutex_unlock(&mutex);)
    return 0;
}
