// A lock taken by code that is not instrumented still orders; without the call there is a race.
// LIBRARY:
// LINK-LIBRARY
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#ifdef LIBRARY
#include <pthread.h>
#define PLAIN __attribute__((no_sanitize("thread")))
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

PLAIN void plain_lock(void)
{
    pthread_mutex_lock(&mutex);
}

PLAIN void plain_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}
#else
#include "invisible.h"

void plain_lock(void);
void plain_unlock(void);
int counter;

static void both(void)
{
    FIX(plain_lock());
    counter++; // RACE1
    FIX(plain_unlock());
}

int main(void)
{
    run_in_order(both, both);
    return 0;
}
#endif
