// A semaphore is destroyed while a thread waits on it; the fixed twin lets the thread through first.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global sem
// EXPECT-TEXT: destruction of a semaphore
#include <semaphore.h>
#include "invisible.h"

sem_t sem;

static void *waiter(void *arg)
{
    hidden_post(0);
    sem_wait(&sem);
    return arg;
}

/* glibc keeps the number of waiters in the upper half of a semaphore. */
static int somebody_waits(void)
{
    return *(volatile unsigned *)((char *)&sem + 4) != 0;
}

int main(void)
{
    pthread_t t;
    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, waiter, NULL);
    hidden_wait(0);
    while (!somebody_waits())
        continue;
    FIX(sem_post(&sem));
    FIX(pthread_join(t, NULL));
    sem_destroy(&sem); // HERE
    BUG(sem_post(&sem);)
    BUG(pthread_join(t, NULL);)
    return 0;
}
