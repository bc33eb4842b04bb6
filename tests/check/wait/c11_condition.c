// Conditions of C11.
// EXPECT: data-race SET/write LOOK
#include "../twin.h"

#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static int ready;

static int waiter(void *arg)
{
    (void)arg;
    mtx_lock(&mutex);
    while (!ready) // LOOK
        cnd_wait(&cond, &mutex); // WAIT
    mtx_unlock(&mutex);
    return 0;
}
// ALLOW: deadlock WAIT JOIN

int main(void)
{
    thrd_t t;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&cond);
    thrd_create(&t, waiter, NULL);
    FIX(mtx_lock(&mutex));
    ready = 1; // SET
    cnd_signal(&cond);
    FIX(mtx_unlock(&mutex));
    thrd_join(t, NULL); // JOIN
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
    return 0;
}
