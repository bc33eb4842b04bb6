// A thread ends while it holds a mutex that is not robust.
// EXPECT: misuse TAKEN
// EXPECT-OBJECT: global mutex
// EXPECT-TEXT: a thread ends while it holds
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
    pthread_mutex_lock(&mutex); // TAKEN
    FIX(pthread_mutex_unlock(&mutex));
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, holder, NULL);
    pthread_join(t, NULL);
    return 0;
}
