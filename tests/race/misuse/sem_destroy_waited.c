// A semaphore is destroyed while a thread waits on it.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global done
// PEER: tsan misses: not checked there
#include <semaphore.h>
#include "invisible.h"

sem_t done;

static void *waiter(void *arg)
{
    sem_wait(&done);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, waiter, NULL);
    BUG(while (!(__atomic_load_n((unsigned long *)(void *)&done, __ATOMIC_RELAXED) >> 32)));
    BUG(sem_destroy(&done);) // BAD
    sem_post(&done);
    pthread_join(t, NULL);
    FIX(sem_destroy(&done));
    return 0;
}
