// A ring of three threads and three locks.
// EXPECT: deadlock WAIT WAIT WAIT
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

pthread_mutex_t fork_of[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                              PTHREAD_MUTEX_INITIALIZER};
int meals;

static void *philosopher(void *arg)
{
    long left = (long)arg, right = (left + 1) % 3;
    FIX(if (left > right) left = right, right = 2);
    pthread_mutex_lock(&fork_of[left]);
    BUG(hidden_meet(0, 3));
    pthread_mutex_lock(&fork_of[right]); // WAIT
    __atomic_fetch_add(&meals, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return meals - 3;
}
