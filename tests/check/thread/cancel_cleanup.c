// A cancelled thread runs its cleanup handler.
// EXPECT: data-race CLEAN/write MAIN/write
#include "../twin.h"

#include <unistd.h>

static int state;

static void cleanup(void *arg)
{
    (void)arg;
    state = 1; // CLEAN
}

static void *work(void *arg)
{
    pthread_cleanup_push(cleanup, NULL);
    for (;;)
        sleep(1);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_cancel(t);
    BUG(state = 2); // MAIN
    pthread_join(t, NULL);
    FIX(state = 2);
    return state;
}
