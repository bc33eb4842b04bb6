/*
 * counter.c: a web server counts its visitors in a plain variable. Kind: data race.
 * Find it with `snag hunt`: two threads read the same number, and one visitor is lost.
 * counter_fixed.c is its twin.
 */
#include <assert.h>
#include <pthread.h>

static int visitors;

static void *serve(void *arg)
{
    (void)arg;
    visitors++;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(visitors == 2);
    return 0;
}
