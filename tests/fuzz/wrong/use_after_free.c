/* use_after_free.c: freed while another thread may still look. */
// EXPECT: confirmed data-race
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *p;

static void *one(void *arg)
{
    if (p[0] == 0)
        return arg;
    return NULL;
}

static void *other(void *arg)
{
    free(p);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    p = calloc(64, sizeof *p);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
