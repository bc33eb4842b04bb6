/* sleep_order.c: sleeping is no synchronisation. */
// EXPECT: confirmed data-race harmful `made`
// EXPECT: effect assertion failed
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int made;

static void *one(void *arg)
{
    made = 1;
    return arg;
}

static void *other(void *arg)
{
    usleep(1000);
    assert(made);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
