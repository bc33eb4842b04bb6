// Sleeping is not waiting.
// EXPECT: data-race WORK/write READ/read
#include "../twin.h"

#include <unistd.h>

static int result;

static void *work(void *arg)
{
    result = 1; // WORK
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    sleep(1);
    FIX(pthread_join(t, NULL));
    int seen = result; // READ
    BUG(pthread_join(t, NULL));
    return seen;
}
