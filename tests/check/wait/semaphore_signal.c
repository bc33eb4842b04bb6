// A semaphore announces data; the buggy one announces first.
// EXPECT: data-race WRITE/write READ/read
#include "../twin.h"

#include <semaphore.h>

static sem_t sem;
static int data, seen;

static void *producer(void *arg)
{
    BUG(sem_post(&sem));
    data = 1; // WRITE
    FIX(sem_post(&sem));
    return arg;
}

static void *consumer(void *arg)
{
    sem_wait(&sem);
    seen = data; // READ
    return arg;
}

int main(void)
{
    sem_init(&sem, 0, 0);
    run_two(producer, consumer);
    return seen;
}
