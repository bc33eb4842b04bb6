// The result of a thread is read through join, and used at once by another.
// EXPECT: data-race WRITE/write READ/read
#include "../twin.h"

static void *work(void *arg)
{
    int *n = arg;
    *n = 5; // WRITE
    return n;
}

int main(void)
{
    pthread_t t;
    static int n;
    void *result = &n;
    pthread_create(&t, NULL, work, &n);
    FIX(pthread_join(t, &result));
    int seen = *(int *)result; // READ
    BUG(pthread_join(t, NULL));
    return seen;
}
