// Conditions and call_once of <threads.h>.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global ready
// PEER: tsan cannot: it does not know <threads.h>
#include <threads.h>
#include "invisible.h"

int ready, table, seen;
mtx_t mutex;
cnd_t cond;
once_flag once = ONCE_FLAG_INIT;

static void initialise(void)
{
    table = 7;
}

static void *waiter(void *arg)
{
    call_once(&once, initialise);
    mtx_lock(&mutex);
    while (!ready) { // RACE1
        hidden_post(0);
        cnd_wait(&cond, &mutex);
    }
    mtx_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&cond);
    pthread_create(&t, NULL, waiter, NULL);
    hidden_wait(0);
    call_once(&once, initialise);
    seen = table;
    FIX(mtx_lock(&mutex));
    ready = 1; // RACE2
    FIX(mtx_unlock(&mutex));
    mtx_lock(&mutex);
    cnd_broadcast(&cond);
    mtx_unlock(&mutex);
    pthread_join(t, NULL);
    return seen - 7;
}
