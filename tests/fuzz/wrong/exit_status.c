/* exit_status.c: a lost update that only the exit status tells. */
// EXPECT: confirmed data-race harmful `n`
// EXPECT: effect exit status 3 instead of 0
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int n;

static void *one(void *arg)
{
    n = n + 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return n == 2 ? 0 : 3;
}
