/* tickets_fixed.c: tickets.c without its bug: question and sale are one critical section. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;

static void *customer(void *arg)
{
    pthread_mutex_lock(&lock);
    if (left > 0)
        left--;
    assert(left >= 0);
    pthread_mutex_unlock(&lock);
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
