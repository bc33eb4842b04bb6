/* workers_fixed.c: workers.c without its bug: every worker has a number of its own. */
#include <pthread.h>

enum { WORKERS = 3 };

static int done[WORKERS + 1];

static void *work(void *arg)
{
    int me = *(int *)arg;
    done[me] = 1;
    return NULL;
}

int main(void)
{
    pthread_t t[WORKERS];
    int number[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, work, &number[i]);
    }
    for (int k = 0; k < WORKERS; k++)
        pthread_join(t[k], NULL);
    return done[0] + done[1] + done[2] == WORKERS ? 0 : 1;
}
