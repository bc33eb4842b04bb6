// A thread locks a normal mutex that it already holds.
// EXPECT: deadlock WAIT
// EXPECT-LOCKS: WAIT mutex
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

int entries;
#ifdef FIXED
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#else
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void enter(int again)
{
    pthread_mutex_lock(&mutex); // WAIT
    entries++;
    if (again)
        enter(again - 1);
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    enter(2);
    return entries - 3;
}
