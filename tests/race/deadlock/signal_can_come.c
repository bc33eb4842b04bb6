// Everybody waits, but a signal handler can still post: no deadlock.
// EXPECT: data-race RACE1 RACE2
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
#include "invisible.h"

sem_t sem;
int value;

static void on_alarm(int sig)
{
    (void)sig;
    sem_post(&sem);
}

static void *waiter(void *arg)
{
    while (sem_wait(&sem) != 0)
        continue;
    value = 1; // RACE1
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&sem, 0, 0);
    signal(SIGALRM, on_alarm);
    pthread_create(&t, NULL, waiter, NULL);
    alarm(2);
    BUG(hidden_wait(0));
    BUG(value = 2;) // RACE2
    pthread_join(t, NULL);
    FIX(value = 2);
    return 0;
}
