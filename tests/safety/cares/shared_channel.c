// EXPECT: ares_cancel ares_timeout
// ALLOW: ares_cancel ares_cancel
// LIB: libcares.so.2
#include <stdio.h>
#include <sys/time.h>

#include "together.h"

__attribute__((weak)) int ares_threadsafety(void);
int ares_init(void **channel);
void ares_cancel(void *channel);
struct timeval *ares_timeout(void *channel, struct timeval *max, struct timeval *out);
void ares_destroy(void *channel);

static void *cancel(void *channel)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        ares_cancel(channel);
        UNLOCK;
    }
    return 0;
}

static void *ask(void *channel)
{
    struct timeval t;
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        ares_timeout(channel, 0, &t);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *channel;
    ares_init(&channel);
    together(cancel, ask, channel);
    ares_destroy(channel);
    puts("done");
    return ares_threadsafety && ares_threadsafety() ? NOTHING_TO_FIND : 0; /* it has locks of its own */
}
