/*
 * workers.c: every worker gets the address of the loop's variable, which goes on. Kind: data race
 * on a local variable. Find it with `snag race`. workers_fixed.c is its twin.
 */
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
    int i;
    for (i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, work, &i);
    for (int k = 0; k < WORKERS; k++)
        pthread_join(t[k], NULL);
    return done[0] + done[1] + done[2] == WORKERS ? 0 : 1;
}
