/* benign.c: a real race that does no harm that anybody could see. */
// EXPECT: confirmed data-race harmless `last`
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int last;

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
