// Destructors of thread-specific data run in the thread that ends, before it can be joined.
// EXPECT: data-race RACE1 RACE2/read
// EXPECT-OBJECT: global destroyed
#include <stdlib.h>
#include "invisible.h"

int destroyed, rounds;
static pthread_key_t key;

static void destroy(void *value)
{
    destroyed += *(int *)value; // RACE1
    if (++rounds == 1) {
        pthread_setspecific(key, value); /* once more */
        return;
    }
    free(value);
    hidden_post(0);
}

static void *worker(void *arg)
{
    int *value = malloc(sizeof(*value));
    *value = 5;
    pthread_setspecific(key, value);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, NULL);
    hidden_wait(0);
    FIX(pthread_join(t, NULL));
    int seen = destroyed; // RACE2
    BUG(pthread_join(t, NULL));
    return seen - 10;
}
