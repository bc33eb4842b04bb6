// A heap block given to two threads.
// EXPECT: data-race ADD/write ADD
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC
#include "../twin.h"

static void *add(void *arg)
{
    FIX(LOCK());
    ++*(int *)arg; // ADD
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int *n = calloc(1, sizeof *n); // ALLOC
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, n);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(n);
    return 0;
}
