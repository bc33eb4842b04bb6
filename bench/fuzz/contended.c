/* contended.c THREADS POINTS: that many scheduling points in all, most of them while another thread holds the lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long each;
static int shared;

static void *worker(void *arg)
{
    for (long i = 0; i < each; i++) {
        pthread_mutex_lock(&m);
        shared++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[256];
    int n = argc > 1 ? atoi(argv[1]) : 2;
    each = (argc > 2 ? atol(argv[2]) : 100) / 4 / n; /* lock, read, write, unlock */
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    return 0;
}
