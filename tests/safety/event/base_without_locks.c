// EXPECT: event_active event_base_loop
// LIB: libevent-2.1.so.7 libevent_pthreads-2.1.so.7
// A thread adds events while another runs the loop. The fix is to give libevent locks.
#include <semaphore.h>
#include <stdio.h>

#include "together.h"

void *event_base_new(void);
void *event_new(void *base, int fd, short what, void (*call)(int, short, void *), void *arg);
int event_base_loop(void *base, int flags);
int event_base_loopbreak(void *base);
void event_active(void *event, int what, short calls);
int evthread_use_pthreads(void);

static void *base, *first, *second;
static sem_t inside, done;

static void on_first(int fd, short what, void *arg)
{
    (void)fd, (void)what, (void)arg;
    sem_post(&inside);
    sem_wait(&done);
}

static void on_second(int fd, short what, void *arg)
{
    (void)fd, (void)what, (void)arg;
}

static void *run(void *unused)
{
    event_base_loop(base, 0);
    return unused;
}

static void *add(void *unused)
{
    sem_wait(&inside);
    event_active(second, 1, 1);
    sem_post(&done);
    return unused;
}

int main(void)
{
#ifdef FIXED
    evthread_use_pthreads();
#endif
    base = event_base_new();
    sem_init(&inside, 0, 0);
    sem_init(&done, 0, 0);
    first = event_new(base, -1, 0, on_first, 0);
    second = event_new(base, -1, 0, on_second, 0);
    event_active(first, 1, 1);
    together(run, add, 0);
    puts("done");
    return 0;
}
