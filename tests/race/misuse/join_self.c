// A thread joins itself.
// EXPECT: misuse HERE
// EXPECT-TEXT: joins itself
#include "invisible.h"

static void *other(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    BUG(pthread_join(pthread_self(), NULL);) // HERE
    pthread_join(t, NULL);
    return 0;
}
