// A periodic timer whose ticks run in threads of their own.
// EXPECT: data-race TICK/write MAIN
// ALLOW: data-race TICK TICK
#include "../twin.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static int ticks;

static void tick(union sigval value)
{
    (void)value;
    FIX(LOCK());
    ticks++; // TICK
    FIX(UNLOCK());
}

int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec often = {{0, 1000}, {0, 1000}};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    int enough = 0;
    while (!enough) {
        usleep(100);
        FIX(LOCK());
        enough = ticks > 1; // MAIN
        FIX(UNLOCK());
    }
    timer_delete(timer);
    return 0;
}
