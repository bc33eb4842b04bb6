// A semaphore as a lock: with a count of two it lets two threads in.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global shared
#include <semaphore.h>
#include "invisible.h"

int shared;
sem_t lock;

static void *early(void *arg)
{
    sem_wait(&lock);
    shared++; // RACE1
    hidden_post(0);
    BUG(hidden_wait(1)); /* still inside when the other enters */
    sem_post(&lock);
    return arg;
}

static void *late(void *arg)
{
    hidden_wait(0);
    sem_wait(&lock);
    shared++; // RACE2
    hidden_post(1);
    sem_post(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&lock, 0, PICK(2, 1));
    pthread_create(&a, NULL, early, NULL);
    pthread_create(&b, NULL, late, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_destroy(&lock);
    return 0;
}
