/*
 * buffer.c: a consumer that tests for an empty buffer with `if`. Kind: atomicity violation: between
 * the wake-up and the use another consumer takes the item. Find it with `snag hunt`: an assertion
 * fails. buffer_fixed.c is its twin.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, wanted = 2;

static void *consume(void *arg)
{
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&filled, &lock);
    assert(items > 0);
    items--;
    wanted--;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *produce(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_broadcast(&filled);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, consume, NULL);
    pthread_create(&b, NULL, consume, NULL);
    pthread_create(&c, NULL, produce, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return wanted;
}
