/* benign_fixed.c: the same as atomic stores. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int last;

static void *one(void *arg)
{
    last = 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return last - 1;
}
