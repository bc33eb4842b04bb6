// Joining a thread says nothing about the threads that it left running.
// EXPECT: data-race INNER/write MAIN/read
#include "../twin.h"

static int value;
static pthread_t inner_thread;

static void *inner(void *arg)
{
    value = 1; // INNER
    return arg;
}

static void *outer(void *arg)
{
    pthread_create(&inner_thread, NULL, inner, NULL);
    FIX(pthread_join(inner_thread, NULL));
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, outer, NULL);
    pthread_join(t, NULL);
    int seen = value; // MAIN
    BUG(pthread_join(inner_thread, NULL));
    return seen;
}
