// A detached thread is never over for the others: it must say so itself.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <semaphore.h>
#include "invisible.h"

int data, seen;
sem_t done;

static void *child(void *arg)
{
    data = 1; // RACE1
    sem_post(&done);
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attr;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, child, NULL);
    hidden_wait(0);
    FIX(sem_wait(&done));
    seen = data; // RACE2
    return seen - 1;
}
