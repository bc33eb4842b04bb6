// A timer that fires once: its thread is alone.
// EXPECT: data-race TICK/write TICK
#include "../twin.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static int ticks;

static void tick(union sigval value)
{
    ticks += value.sival_int; // TICK
}

int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec spec = {{0, PICK(1000, 0)}, {0, 1000}};
    event.sigev_value.sival_int = 1;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &spec, NULL);
    for (int i = 0; i < 4; i++)
        usleep(100);
    return 0;
}
