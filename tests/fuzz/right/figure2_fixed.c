/* figure2_fixed.c: figure 2 of the RaceFuzzer paper, its x guarded and set before the threads begin. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int x, work;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static int statements;

static void *one(void *arg)
{
    pthread_mutex_lock(&l);
    for (int i = 0; i < statements; i++)
        work += i;
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&l);
    int seen = x;
    pthread_mutex_unlock(&l);
    if (seen == 0) {
        fprintf(stderr, "ERROR\n");
        abort();
    }
    return arg;
}

static void *other(void *arg)
{
    pthread_mutex_lock(&l);
    x = 2;
    work++;
    pthread_mutex_unlock(&l);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    x = 1;
    statements = argc > 1 ? atoi(argv[1]) : 10;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
