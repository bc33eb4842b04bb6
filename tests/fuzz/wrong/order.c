/* order.c: the reader relies on the maker being faster. */
// EXPECT: confirmed data-race harmful `shared`
// EXPECT: effect segmentation fault
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *shared;

static void *one(void *arg)
{
    shared = calloc(1, sizeof *shared);
    return arg;
}

static void *other(void *arg)
{
    *shared = 7;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(shared);
    return 0;
}
