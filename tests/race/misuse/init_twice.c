// Objects that are initialised twice: each kind, as a global, in a heap block, and as a variable of main.
// EXPECT: misuse MUTEX
// EXPECT-OBJECT: global mutex
// EXPECT-TEXT: initialisation of a mutex that is initialised already
// EXPECT: misuse BARRIER
// EXPECT-OBJECT: stack barrier
// EXPECT-TEXT: initialisation of a barrier
// EXPECT: misuse RWLOCK
// EXPECT-OBJECT: heap
// EXPECT-TEXT: initialisation of an rwlock
// EXPECT: misuse COND
// EXPECT-OBJECT: global condition
// EXPECT-TEXT: initialisation of a condition variable
// EXPECT: misuse SEMAPHORE
// EXPECT-OBJECT: global semaphore
// EXPECT-TEXT: initialisation of a semaphore
#include "invisible.h"

#include <semaphore.h>
#include <stdlib.h>

pthread_mutex_t mutex;
pthread_cond_t condition;
sem_t semaphore;

int main(void)
{
    pthread_barrier_t barrier;
    pthread_rwlock_t *rwlock = malloc(sizeof *rwlock);
    pthread_mutex_init(&mutex, NULL);
    FIX(pthread_mutex_destroy(&mutex));
    pthread_mutex_init(&mutex, NULL); // MUTEX
    pthread_barrier_init(&barrier, NULL, 1);
    FIX(pthread_barrier_destroy(&barrier));
    pthread_barrier_init(&barrier, NULL, 1); // BARRIER
    pthread_rwlock_init(rwlock, NULL);
    FIX(pthread_rwlock_destroy(rwlock));
    pthread_rwlock_init(rwlock, NULL); // RWLOCK
    pthread_cond_init(&condition, NULL);
    FIX(pthread_cond_destroy(&condition));
    pthread_cond_init(&condition, NULL); // COND
    sem_init(&semaphore, 0, 1);
    FIX(sem_destroy(&semaphore));
    sem_init(&semaphore, 0, 1); // SEMAPHORE
    pthread_barrier_wait(&barrier);
    free(rwlock);
    return 0;
}
