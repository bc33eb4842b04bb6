/* ticks.c: a loop over epoll with an eventfd and a timer; the flag that ends it is not guarded. */
// EXPECT: confirmed data-race
// EXPECT: `stop`
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int epoll, event, timer, served, queued;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static _Atomic int stop;
#else
static int stop;
#endif

static void *loop(void *arg)
{
    while (!stop) {
        struct epoll_event e;
        uint64_t value;
        if (epoll_wait(epoll, &e, 1, -1) != 1 || read(e.data.fd, &value, sizeof value) < 0)
            continue;
        pthread_mutex_lock(&m);
        served += queued;
        queued = 0;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *client(void *arg)
{
    uint64_t one = 1;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        queued++;
        pthread_mutex_unlock(&m);
        if (write(event, &one, sizeof one) != sizeof one)
            return NULL;
    }
    return arg;
}

int main(void)
{
    struct itimerspec every = {{0, 1000000}, {0, 1000000}};
    pthread_t a, b;
    epoll = epoll_create1(0);
    event = eventfd(0, EFD_NONBLOCK);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    timerfd_settime(timer, 0, &every, NULL);
    for (int i = 0; i < 2; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.fd = i ? event : timer};
        epoll_ctl(epoll, EPOLL_CTL_ADD, e.data.fd, &e);
    }
    pthread_create(&a, NULL, loop, NULL);
    pthread_create(&b, NULL, client, NULL);
    pthread_join(b, NULL);
    stop = 1;
    pthread_join(a, NULL);
    return served + queued != 2;
}
