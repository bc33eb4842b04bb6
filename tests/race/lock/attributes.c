// Mutexes with priority inheritance, priority ceiling or process-shared are mutexes.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global shared
#include "invisible.h"

int shared[3];
pthread_mutex_t mutex[3];

static void both(void)
{
    for (int i = 0; i < 3; i++) {
        FIX(pthread_mutex_lock(&mutex[i]));
        shared[i]++; // RACE1
        FIX(pthread_mutex_unlock(&mutex[i]));
    }
}

int main(void)
{
    pthread_mutexattr_t attr[3];
    for (int i = 0; i < 3; i++)
        pthread_mutexattr_init(&attr[i]);
    pthread_mutexattr_setprotocol(&attr[0], PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_settype(&attr[1], PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutexattr_setpshared(&attr[2], PTHREAD_PROCESS_SHARED);
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&mutex[i], &attr[i]);
    run_in_order(both, both);
    return 0;
}
