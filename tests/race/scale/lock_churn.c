// 100,000 locks made, used and destroyed, at few addresses.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
// PEER: tsan may-miss: its history has forgotten the first stack
#include <stdlib.h>
#include "invisible.h"

int shared, other;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void churn(void)
{
    for (int i = 0; i < 50000; i++) {
        pthread_mutex_t *m = malloc(sizeof(*m));
        pthread_mutex_init(m, NULL);
        pthread_mutex_lock(m);
        pthread_mutex_unlock(m);
        pthread_mutex_destroy(m);
        free(m);
    }
}

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    shared = 1; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
    churn();
}

static void second(void)
{
    churn();
    FIX(pthread_mutex_lock(&mutex));
    shared = 2; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
