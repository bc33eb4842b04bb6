/*
 * Figure 5.1 of the TREE thesis: threads take the same locks around one shared counter. Every access
 * but the first few is redundant.
 *
 * usage: shared THREADS ITERATIONS LOCKS
 */
#include "micro.h"

static pthread_mutex_t locks[MICRO_MAX];
static unsigned long x;

static void *body(void *arg)
{
    (void)arg;
    for (unsigned j = 0; j < micro.iterations; j++) {
        for (unsigned k = 0; k < micro.locks; k++)
            pthread_mutex_lock(&locks[k]);
        x = x + 1;
        for (unsigned k = 0; k < micro.locks; k++)
            pthread_mutex_unlock(&locks[k]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MICRO_MAX];

    micro_parse(argc, argv);
    for (unsigned k = 0; k < micro.locks; k++)
        pthread_mutex_init(&locks[k], NULL);
    for (unsigned i = 0; i < micro.threads; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (unsigned i = 0; i < micro.threads; i++)
        pthread_join(threads[i], NULL);
    return printf("shared %lu\n", x) < 0;
}
