// A destructor of thread-specific data that locks: it is ordered with the others like any code.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global total
#include "invisible.h"

int total;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void destroy(void *value)
{
    hidden_wait_times(0, (int)(long)value - 1);
    FIX(pthread_mutex_lock(&mutex));
    total += (int)(long)value; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
    hidden_post(0);
}

static void *worker(void *arg)
{
    pthread_setspecific(key, arg);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_key_create(&key, destroy);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return total - 6;
}
