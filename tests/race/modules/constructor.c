// A constructor starts a thread before main; what main does then races with it.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global state
#include "invisible.h"

int state;
static pthread_t early;

static void *worker(void *arg)
{
    state = 1; // RACE1
    hidden_post(0);
    return arg;
}

__attribute__((constructor)) static void before_main(void)
{
    pthread_create(&early, NULL, worker, NULL);
}

int main(void)
{
    hidden_wait(0);
    FIX(pthread_join(early, NULL));
    state = 2; // RACE2
    BUG(pthread_join(early, NULL));
    return 0;
}
