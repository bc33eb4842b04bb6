// EXPECT: misuse
// Unlock by a thread that does not hold the lock.
#include <stdio.h>

#include "together.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *unlock(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    pthread_mutex_unlock(&m);
    return unused;
}

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
#ifndef FIXED
    pthread_mutex_lock(&m);
#endif
    together(unlock, nothing, 0);
    puts("done");
    return 0;
}
