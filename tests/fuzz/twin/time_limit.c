/*
 * time_limit.c: the signal and the end of the time limit come together, and the answer of the wait is believed instead of
 * the condition. With -DFIXED the condition counts.
 */
// EXPECT: effect exit status 3 instead of 0
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int item, left, taken;

static struct timespec soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 50000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *consumer(void *arg)
{
    struct timespec limit = soon();
    int r = 0;
    pthread_mutex_lock(&m);
    while (!item && r == 0)
        r = pthread_cond_timedwait(&c, &m, &limit);
#ifdef FIXED
    taken = item;
#else
    taken = r != ETIMEDOUT;
#endif
    left = !taken;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *producer(void *arg)
{
    struct timespec work = {0, 50000000};
    nanosleep(&work, NULL);
    pthread_mutex_lock(&m);
    if (!left) {
        item = 1;
        pthread_cond_signal(&c);
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, consumer, NULL);
    pthread_create(&t[1], NULL, producer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return item && !taken ? 3 : 0;
}
