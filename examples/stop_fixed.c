/* stop_fixed.c: stop.c without its bug: the flag is atomic, and brings the result along. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool finished;
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
