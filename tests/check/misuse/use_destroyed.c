// A lock is used after its destruction.
// EXPECT: misuse USE
// EXPECT-TEXT: destroyed lock
#include "../twin.h"

static pthread_mutex_t mutex;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex); // USE
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_init(&mutex, NULL);
    BUG(pthread_mutex_destroy(&mutex));
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    FIX(pthread_mutex_destroy(&mutex));
    return 0;
}
