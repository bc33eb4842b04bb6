/* counter_fixed.c: counter.c without its bug: the counter is atomic. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int visitors;

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
