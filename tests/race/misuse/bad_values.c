// Values that the library refuses: a time limit with too many nanoseconds, a barrier for no thread, a
// semaphore above its limit.
// EXPECT: misuse WAIT
// EXPECT-TEXT: a time limit whose nanoseconds
// EXPECT: misuse SEM_WAIT
// EXPECT-TEXT: a time limit whose nanoseconds
// EXPECT: misuse RWLOCK
// EXPECT-TEXT: a time limit whose nanoseconds
// EXPECT: misuse BARRIER
// EXPECT-TEXT: a barrier for no thread
// EXPECT: misuse SEM_INIT
// EXPECT-TEXT: begins above SEM_VALUE_MAX
// EXPECT: misuse SEM_POST
// EXPECT-OBJECT: global full
// EXPECT-TEXT: brings a semaphore above SEM_VALUE_MAX
#include "invisible.h"

#include <limits.h>
#include <semaphore.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
sem_t empty, full, other;

static void *hold(void *arg)
{
    pthread_rwlock_wrlock(&rwlock);
    hidden_post(1);
    hidden_wait(2);
    pthread_rwlock_unlock(&rwlock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit = {.tv_sec = time(NULL) - 1, .tv_nsec = PICK(1000000000, 999999999)};
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &limit); // WAIT
    pthread_mutex_unlock(&mutex);
    sem_init(&empty, 0, 0);
    sem_timedwait(&empty, &limit); // SEM_WAIT
    pthread_create(&thread, NULL, hold, NULL);
    hidden_wait(1);
    pthread_rwlock_timedrdlock(&rwlock, &limit); // RWLOCK
    hidden_post(2);
    pthread_join(thread, NULL);
    pthread_barrier_init(&barrier, NULL, PICK(0, 1)); // BARRIER
    sem_init(&other, 0, PICK(SEM_VALUE_MAX + 1u, SEM_VALUE_MAX)); // SEM_INIT
    sem_init(&full, 0, PICK(SEM_VALUE_MAX, SEM_VALUE_MAX - 1));
    sem_post(&full); // SEM_POST
    return 0;
}
