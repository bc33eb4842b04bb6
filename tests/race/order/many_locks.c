// Locks of an array in index order are fine; one pair the other way round is not.
// EXPECT: lock-order TAKE1 TAKE2
#include "invisible.h"

enum { LOCKS = 20 };
pthread_mutex_t lock[LOCKS];

static void first(void)
{
    for (int i = 0; i + 1 < LOCKS; i++) {
        pthread_mutex_lock(&lock[i]);
        pthread_mutex_lock(&lock[i + 1]); // TAKE1
        pthread_mutex_unlock(&lock[i + 1]);
        pthread_mutex_unlock(&lock[i]);
    }
}

static void second(void)
{
    pthread_mutex_lock(&lock[PICK(11, 10)]);
    pthread_mutex_lock(&lock[PICK(10, 11)]); // TAKE2
    pthread_mutex_unlock(&lock[10]);
    pthread_mutex_unlock(&lock[11]);
}

int main(void)
{
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    run_in_order(first, second);
    return 0;
}
