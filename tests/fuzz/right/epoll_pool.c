/* epoll_pool.c: two threads wait for events, the main one polls with sleeps until one has come. Under
 * dfs an execution may turn out to be redundant just when a thread leaves to wait. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2], over[2], events;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

/* The sum, which is seen and changed under the lock alone. */
static int add(int n)
{
    pthread_mutex_lock(&lock);
    int value = count += n;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *work(void *arg)
{
    for (;;) {
        struct epoll_event e;
        char byte;
        if (epoll_wait(events, &e, 1, -1) != 1)
            continue;
        if (e.data.fd == over[0])
            return arg;
        if (read(ends[0], &byte, 1) == 1) /* the other one may have been first */
            add(1);
    }
}

int main(void)
{
    pthread_t t[2];
    events = epoll_create1(0);
    if (pipe2(ends, O_NONBLOCK) || pipe2(over, O_NONBLOCK))
        return 2;
    struct epoll_event e = {.events = EPOLLIN, .data.fd = ends[0]};
    struct epoll_event last = {.events = EPOLLIN, .data.fd = over[0]};
    if (epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &e) ||
        epoll_ctl(events, EPOLL_CTL_ADD, over[0], &last))
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    if (write(ends[1], "x", 1) != 1)
        return 3;
    while (add(0) < 1)
        usleep(1000);
    if (write(over[1], "x", 1) != 1)
        return 4;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return count != 1;
}
