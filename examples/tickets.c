/*
 * tickets.c: every access to `left` is under the lock, but the question and the sale are two
 * critical sections. Kind: atomicity violation; there is no data race to see. Find it with `snag
 * hunt`: the last seat is sold twice. tickets_fixed.c is its twin.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;

static int seats_left(void)
{
    pthread_mutex_lock(&lock);
    int n = left;
    pthread_mutex_unlock(&lock);
    return n;
}

static void sell(void)
{
    pthread_mutex_lock(&lock);
    left--;
    assert(left >= 0);
    pthread_mutex_unlock(&lock);
}

static void *customer(void *arg)
{
    if (seats_left() > 0)
        sell();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, customer, NULL);
    pthread_create(&b, NULL, customer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
