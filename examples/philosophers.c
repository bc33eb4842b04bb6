/*
 * philosophers.c: three philosophers, three forks, everybody takes the left one first. Kind:
 * deadlock. Find it with `snag hunt`: it hangs perhaps once in a million runs. philosophers_fixed.c
 * is its twin.
 */
#include <pthread.h>
#include <stdint.h>

enum { SEATS = 3 };

static pthread_mutex_t fork_at[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *arg)
{
    int seat = (int)(intptr_t)arg, left = seat, right = (seat + 1) % SEATS;
    pthread_mutex_lock(&fork_at[left]);
    pthread_mutex_lock(&fork_at[right]);
    pthread_mutex_unlock(&fork_at[right]);
    pthread_mutex_unlock(&fork_at[left]);
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
