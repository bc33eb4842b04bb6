// Memory that holds no mutex, no semaphore and no barrier is used as one.
// EXPECT: misuse UNLOCK
// EXPECT-OBJECT: global no_mutex
// EXPECT-TEXT: unlock of a mutex that was never initialised
// EXPECT: misuse LOCK
// EXPECT-TEXT: lock of a mutex that was never initialised
// EXPECT: misuse DESTROY
// EXPECT-TEXT: destruction of a mutex that was never initialised
// EXPECT: misuse AGAIN
// EXPECT-TEXT: destruction of a mutex that was destroyed already
// EXPECT: misuse UNLOCK_DESTROYED
// EXPECT-TEXT: unlock of a mutex that was destroyed
// EXPECT: misuse SEM_WAIT
// EXPECT-OBJECT: global no_semaphore
// EXPECT-TEXT: use of a semaphore that was never initialised
// EXPECT: misuse SEM_POST
// EXPECT-TEXT: use of a semaphore
// EXPECT-PROGRAM-EXIT: 134
// glibc aborts in that post: a futex with garbage for its flags.
#include "invisible.h"

#include <semaphore.h>
#include <string.h>

pthread_mutex_t no_mutex, gone;
sem_t no_semaphore;

int main(void)
{
    memset(&no_mutex, 0xff, sizeof no_mutex);
    FIX(pthread_mutex_init(&no_mutex, NULL));
    FIX(pthread_mutex_lock(&no_mutex));
    pthread_mutex_unlock(&no_mutex); // UNLOCK
    pthread_mutex_lock(&no_mutex); // LOCK
    FIX(pthread_mutex_unlock(&no_mutex));
    pthread_mutex_destroy(&no_mutex); // DESTROY
    pthread_mutex_init(&gone, NULL);
    FIX(pthread_mutex_lock(&gone); pthread_mutex_unlock(&gone));
    pthread_mutex_destroy(&gone);
    BUG(pthread_mutex_destroy(&gone);) // AGAIN
    BUG(pthread_mutex_unlock(&gone);) // UNLOCK_DESTROYED
    memset(&no_semaphore, 0x55, sizeof no_semaphore);
    FIX(sem_init(&no_semaphore, 0, 1));
    sem_wait(&no_semaphore); // SEM_WAIT
    sem_post(&no_semaphore); // SEM_POST
    FIX(sem_destroy(&no_semaphore));
    return 0;
}
