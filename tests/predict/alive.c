/* alive.c: a library that snag does not see into. */
#include "alive.h"

#include <time.h>

/* glibc knows a thread that has ended by its number, which the kernel clears. */
int is_alive(pthread_t thread)
{
    clockid_t clock;
    return pthread_getcpuclockid(thread, &clock) == 0;
}
