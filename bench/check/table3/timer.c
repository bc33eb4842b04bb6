// An endless periodic timer whose ticks overlap. The fixed twin counts atomically.
// EXPECT: data-race TICK/write TICK
#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifdef FIXED
static _Atomic int ticks;
#else
static int ticks;
#endif

static void tick(union sigval value)
{
    (void)value;
    ticks++; // TICK
}

int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec period = {{0, 1000000}, {0, 1000000}};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &period, NULL);
    for (;;)
        usleep(1000);
}
