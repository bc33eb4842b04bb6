/* philosophers_fixed.c: philosophers.c without its bug: everybody takes the lower fork first. */
#include <pthread.h>
#include <stdint.h>

enum { SEATS = 3 };

static pthread_mutex_t fork_at[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *arg)
{
    int seat = (int)(intptr_t)arg, next = (seat + 1) % SEATS;
    int first = seat < next ? seat : next, second = seat < next ? next : seat;
    pthread_mutex_lock(&fork_at[first]);
    pthread_mutex_lock(&fork_at[second]);
    pthread_mutex_unlock(&fork_at[second]);
    pthread_mutex_unlock(&fork_at[first]);
    return NULL;
}

int main(void)
{
    pthread_t guest[SEATS];
    for (int i = 0; i < SEATS; i++)
        pthread_create(&guest[i], NULL, dine, (void *)(intptr_t)i);
    for (int i = 0; i < SEATS; i++)
        pthread_join(guest[i], NULL);
    return 0;
}
