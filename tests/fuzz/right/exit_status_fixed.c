/* exit_status_fixed.c: the update is one atomic operation. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int n;

static void *one(void *arg)
{
    n++;
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
