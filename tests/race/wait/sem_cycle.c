// Two semaphores hand a buffer back and forth; the bug writes before its turn.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global buffer
#include <semaphore.h>
#include "invisible.h"

enum { ROUNDS = 100 };
int buffer;
long sum;
sem_t empty, full;

static void *producer(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        FIX(sem_wait(&empty));
        buffer = i; // RACE1
        BUG(sem_wait(&empty));
        sem_post(&full);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&full);
        sum += buffer; // RACE2
        sem_post(&empty);
    }
    return arg;
}

int main(void)
{
    pthread_t p, c;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
