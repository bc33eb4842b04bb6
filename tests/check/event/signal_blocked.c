// The signal is blocked around the access.
// EXPECT: data-race HANDLER/write MAIN
#include "../twin.h"

#include <signal.h>

static struct {
    long a, b;
} pair;

static void on_signal(int number)
{
    pair.a = pair.b = number; // HANDLER
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    FIX(sigprocmask(SIG_BLOCK, &set, NULL));
    signal(SIGTERM, on_signal);
    FIX(sigprocmask(SIG_UNBLOCK, &set, NULL));
    long sum = 0;
    for (int i = 0; i < 3; i++) {
        FIX(sigprocmask(SIG_BLOCK, &set, NULL));
        sum += pair.a + pair.b; // MAIN
        FIX(sigprocmask(SIG_UNBLOCK, &set, NULL));
    }
    return (int)sum;
}
