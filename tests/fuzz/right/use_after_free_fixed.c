/* use_after_free_fixed.c: freed when the one who looks has ended. */
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

int main(void)
{
    pthread_t a;
    p = calloc(64, sizeof *p);
    pthread_create(&a, NULL, one, NULL);
    pthread_join(a, NULL);
    free(p);
    return 0;
}
