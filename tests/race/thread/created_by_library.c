// A thread that libc makes (a timer's notification) meets the program's own under a lock.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global fired
// PEER: tsan cannot: it does not know threads that libc makes
#include <signal.h>
#include <time.h>
#include "invisible.h"

int fired;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void notify(union sigval value)
{
    FIX(pthread_mutex_lock(&mutex));
    fired += value.sival_int; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
    hidden_post(0);
}

int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
    struct itimerspec soon = {.it_value = {0, 1}};
    event.sigev_value.sival_int = 1;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    hidden_wait(0);
    FIX(pthread_mutex_lock(&mutex));
    fired++; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    return fired - 2;
}
