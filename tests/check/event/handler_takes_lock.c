// A handler takes the lock that its own thread holds.
// EXPECT: deadlock HANDLER
#include "../twin.h"

#include <signal.h>

static int n;

static void on_signal(int number)
{
    BUG(LOCK()); // HANDLER
    BUG(n += number);
    BUG(UNLOCK());
    FIX((void)number);
}

int main(void)
{
    signal(SIGINT, on_signal);
    for (int i = 0; i < 5; i++) {
        LOCK();
        n++;
        UNLOCK();
    }
    return 0;
}
