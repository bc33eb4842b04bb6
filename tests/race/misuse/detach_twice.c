// A thread is detached that has been joined, one that is detached already, and one is joined twice.
// EXPECT: misuse JOINED
// EXPECT-TEXT: detach of a thread that does not exist
// EXPECT: misuse TWICE
// EXPECT-TEXT: detach of a thread that is detached already
// EXPECT: misuse AGAIN
// EXPECT-TEXT: join of a thread that does not exist
#include "invisible.h"

static void *nothing(void *arg)
{
    return arg;
}

static void *until_told(void *arg)
{
    hidden_wait(1);
    return arg;
}

int main(void)
{
    pthread_t joined, detached;
    pthread_create(&joined, NULL, nothing, NULL);
    pthread_join(joined, NULL);
    BUG(pthread_detach(joined);) // JOINED
    BUG(pthread_join(joined, NULL);) // AGAIN
    pthread_create(&detached, NULL, until_told, NULL);
    pthread_detach(detached);
    BUG(pthread_detach(detached);) // TWICE
    hidden_post(1);
    return 0;
}
