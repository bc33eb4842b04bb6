/* figure2.c: figure 2 of the RaceFuzzer paper: the racing statements are far apart in every ordinary
 * execution. The argument is the number of statements before the first of them. */
// EXPECT: confirmed data-race harmful `x`
// EXPECT: effect aborted: ERROR
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
    if (x == 0) { /* line 8 of the figure */
        fprintf(stderr, "ERROR\n");
        abort();
    }
    return arg;
}

static void *other(void *arg)
{
    x = 1; /* line 10 of the figure */
    pthread_mutex_lock(&l);
    work++;
    pthread_mutex_unlock(&l);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    statements = argc > 1 ? atoi(argv[1]) : 10;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
