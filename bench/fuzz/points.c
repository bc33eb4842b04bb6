/* points.c THREADS POINTS: that many scheduling points in all, shared by the threads. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long each;

static void *worker(void *arg)
{
    for (long i = 0; i < each; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[256];
    int n = argc > 1 ? atoi(argv[1]) : 2;
    each = (argc > 2 ? atol(argv[2]) : 100) / 2 / n;
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    return 0;
}
