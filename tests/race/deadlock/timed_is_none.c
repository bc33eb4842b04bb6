// A cycle with a timed lock in it resolves itself: no deadlock. With plain locks it is one.
// EXPECT: deadlock WAIT1 WAIT2
// PEER: tsan cannot: it hangs with the program
#include <errno.h>
#include <time.h>
#include "invisible.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static int lock_b(void)
{
    FIX(struct timespec soon);
    FIX(clock_gettime(CLOCK_REALTIME, &soon));
    FIX(soon.tv_nsec += 1000000, soon.tv_sec += soon.tv_nsec / 1000000000,
        soon.tv_nsec %= 1000000000);
    return PICK(pthread_mutex_lock(&b), pthread_mutex_timedlock(&b, &soon)); // WAIT1
}

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    hidden_meet(0, 2);
    if (!lock_b()) // WAIT1
        pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&b);
    hidden_meet(0, 2);
    BUG(pthread_mutex_lock(&a);) // WAIT2
    FIX(while (pthread_mutex_trylock(&a) == EBUSY));
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
