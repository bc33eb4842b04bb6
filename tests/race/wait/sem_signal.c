// A semaphore as a signal: post after the work, wait before looking.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <semaphore.h>
#include "invisible.h"

int data, seen;
sem_t done;

static void producer(void)
{
    BUG(sem_post(&done));
    data = 1; // RACE1
    FIX(sem_post(&done));
}

static void consumer(void)
{
    sem_wait(&done);
    seen = data; // RACE2
}

int main(void)
{
    sem_init(&done, 0, 0);
    run_in_order(producer, consumer);
    return seen - 1;
}
