// A signal sent to a thread interrupts that thread; another one reads what the handler writes.
// EXPECT: data-race HANDLER/write MAIN/read
#include "../twin.h"

#include <signal.h>
#include <unistd.h>

static PICK(int, _Atomic int) got;

static void on_signal(int number)
{
    got = number; // HANDLER
}

static void *target(void *arg)
{
    for (int i = 0; i < 4; i++)
        usleep(10);
    return arg;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, on_signal);
    pthread_create(&t, NULL, target, NULL);
    pthread_kill(t, SIGUSR1);
    int seen = got; // MAIN
    pthread_join(t, NULL);
    return seen;
}
