// A wait may return for nothing: it must be in a loop.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global data
#include "invisible.h"

int ready, data, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    PICK(if, while)(!ready)
    {
        hidden_post(0);
        pthread_cond_wait(&cond, &mutex);
        hidden_post(1);
    }
    pthread_mutex_unlock(&mutex);
    seen = data; // RACE1
    hidden_post(2);
    return arg;
}

static void *disturber(void *arg)
{
    hidden_wait(0);
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *producer(void *arg)
{
    hidden_wait(PICK(2, 1));
    data = 1; // RACE2
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    void *(*body[])(void *) = {waiter, disturber, producer};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
