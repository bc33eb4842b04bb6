// A signal handler in one thread changes what another one reads.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global flag
// PEER: tsan cannot: delays a signal until the thread makes a call that it knows
#include <signal.h>
#include "invisible.h"

PICK(volatile, _Atomic) sig_atomic_t flag;

static void handler(int signal)
{
    flag = signal; // RACE1
    hidden_post(1);
}

static void *target(void *arg)
{
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, target, NULL);
    hidden_wait(0);
    pthread_kill(t, SIGUSR1);
    hidden_wait(1);
    int seen = flag; // RACE2
    pthread_join(t, NULL);
    return seen - SIGUSR1;
}
