// Waiting gives the mutex back: what the waiter wrote before is seen by who takes the mutex then.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global request
#include "invisible.h"

int request, done, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *client(void *arg)
{
    pthread_mutex_lock(&mutex);
    request = 5; // RACE1
    hidden_post(0);
    while (!done)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *server(void *arg)
{
    hidden_wait(0);
    BUG(seen = request;) // RACE2
    pthread_mutex_lock(&mutex);
    FIX(seen = request);
    done = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, client, NULL);
    pthread_create(&b, NULL, server, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen - 5;
}
