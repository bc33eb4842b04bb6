/* wrong.c: fails only when the reader comes exactly after the writer's third round. Schedules at random
 * seldom do that; an order that is given does. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int value, rounds;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&m); /* round */
        rounds++;
        pthread_mutex_unlock(&m);
    }
    value = 42; /* write */
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&m); /* reader's lock */
    int n = rounds;
    pthread_mutex_unlock(&m);
    if (n == 3)
        assert(value == 42); /* read */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
