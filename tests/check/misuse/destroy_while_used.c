// A lock is destroyed while another thread may still use it.
// EXPECT: data-race USE DESTROY
// ALLOW: misuse DESTROY
// ALLOW: misuse USE
#include "../twin.h"

static pthread_mutex_t mutex;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex); // USE
    pthread_mutex_unlock(&mutex); // USE
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&t, NULL, work, NULL);
    BUG(pthread_mutex_destroy(&mutex)); // DESTROY
    pthread_join(t, NULL);
    FIX(pthread_mutex_destroy(&mutex));
    return 0;
}
