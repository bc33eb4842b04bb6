// A variable of main given to a thread, read before the thread is joined.
// EXPECT: data-race WRITE/write READ/read
// EXPECT-OBJECT: stack result
#include "../twin.h"

static void *work(void *arg)
{
    *(int *)arg = 42; // WRITE
    return NULL;
}

int main(void)
{
    pthread_t t;
    int result = 0, seen = 0;
    pthread_create(&t, NULL, work, &result);
    BUG(seen = result); // READ
    pthread_join(t, NULL);
    FIX(seen = result);
    return seen;
}
