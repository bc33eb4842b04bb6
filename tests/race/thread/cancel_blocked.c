// Threads are cancelled in read, sem_wait, sleep, join and while they compute; joining covers them.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global state
// PEER: tsan false-alarm: complains about the join that was cancelled
#include <semaphore.h>
#include <unistd.h>
#include "invisible.h"

int state[5];
static sem_t never;
static int ends[2];
static pthread_t t[5];

static void *worker(void *arg)
{
    long n = (long)arg;
    char c;
    state[n] = 1; // RACE1
    hidden_post(0);
    if (n == 0 && read(ends[0], &c, 1) > 0)
        return NULL;
    if (n == 1)
        sem_wait(&never);
    if (n == 2)
        pause();
    if (n == 3)
        pthread_join(t[2], NULL);
    for (;;)
        pthread_testcancel();
}

int main(void)
{
    int sum = 0;
    if (pipe(ends) || sem_init(&never, 0, 0))
        return 2;
    for (long i = 0; i < 5; i++)
        if (i != 3)
            pthread_create(&t[i], NULL, worker, (void *)i);
    pthread_create(&t[3], NULL, worker, (void *)3);
    hidden_wait_times(0, 5);
    BUG(for (int i = 0; i < 5; i++) sum += state[i];) // RACE2
    pthread_cancel(t[3]);
    pthread_join(t[3], NULL);
    for (int i = 0; i < 5; i++) {
        if (i == 3)
            continue;
        pthread_cancel(t[i]);
        pthread_join(t[i], NULL);
    }
    FIX(for (int i = 0; i < 5; i++) sum += state[i]);
    return sum - 5;
}
