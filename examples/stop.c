/*
 * stop.c: `volatile` is no synchronisation. The result is written, then the flag; nothing says that
 * who sees the flag sees the result. Kind: data race. Find it with `snag race`. stop_fixed.c is its
 * twin.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

static volatile bool finished;
static int result;

static void *work(void *arg)
{
    result = 42;
    finished = true;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (!finished)
        sched_yield();
    int seen = result;
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
