/*
 * Figure 5.3 of the TREE thesis: every thread has locks of its own around one shared counter, and the
 * main thread counts too while it starts them: no lock set is met twice. It has races, by intention.
 *
 * usage: private THREADS ITERATIONS LOCKS
 */
#include "micro.h"

static pthread_mutex_t locks[MICRO_MAX][MICRO_MAX];
static unsigned long x;

static void *body(void *arg)
{
    pthread_mutex_t *mine = arg;

    for (unsigned j = 0; j < micro.iterations; j++) {
        for (unsigned k = 0; k < micro.locks; k++)
            pthread_mutex_lock(&mine[k]);
        x = x + 1;
        for (unsigned k = 0; k < micro.locks; k++)
            pthread_mutex_unlock(&mine[k]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MICRO_MAX];

    micro_parse(argc, argv);
    for (unsigned i = 0; i < micro.threads; i++)
        for (unsigned k = 0; k < micro.locks; k++)
            pthread_mutex_init(&locks[i][k], NULL);
    for (unsigned i = 0; i < micro.threads; i++) {
        x = x + 1;
        pthread_create(&threads[i], NULL, body, locks[i]);
    }
    for (unsigned i = 0; i < micro.threads; i++)
        pthread_join(threads[i], NULL);
    return puts("private") < 0;
}
