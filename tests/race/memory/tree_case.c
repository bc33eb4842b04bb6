// A repeats a locked write at one line; B's own write races with the second of them only.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global x
#include "invisible.h"

int x;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *a(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        x = 1; // RACE1
        pthread_mutex_unlock(&mutex);
        hidden_post(0);
        hidden_wait_times(1, i);
    }
    return arg;
}

static void *b(void *arg)
{
    hidden_wait(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    hidden_post(1);
    hidden_wait_times(0, 2);
    FIX(pthread_mutex_lock(&mutex));
    x = 2; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    hidden_post(1);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, a, NULL);
    pthread_create(&t, NULL, b, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
