// An exit handler runs while a thread is still working.
// EXPECT: data-race WORK/write EXIT/read
#include "../twin.h"

static int n, at_end;
static pthread_t t;

static void *work(void *arg)
{
    n = 1; // WORK
    return arg;
}

static void end(void)
{
    at_end = n; // EXIT
}

int main(void)
{
    atexit(end);
    pthread_create(&t, NULL, work, NULL);
    FIX(pthread_join(t, NULL));
    return 0;
}
