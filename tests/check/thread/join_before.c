// What a thread did is known after joining it, not before.
// EXPECT: data-race WRITE/write READ/read
#include "../twin.h"

static int result;

static void *work(void *arg)
{
    result = 1; // WRITE
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    FIX(pthread_join(t, NULL));
    int seen = result; // READ
    BUG(pthread_join(t, NULL));
    return seen;
}
