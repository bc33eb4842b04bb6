// A pool of workers with a queue of jobs; one counter is outside of the lock.
// EXPECT: data-race DONE/write DONE
#include "../twin.h"

#define JOBS 6
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int queue[JOBS], head, tail, closed, done;

static int take(int *job)
{
    LOCK();
    while (head == tail && !closed)
        pthread_cond_wait(&cond, &lock);
    int got = head != tail;
    if (got)
        *job = queue[head++];
    FIX(done += got);
    UNLOCK();
    return got;
}

static void *worker(void *arg)
{
    int job;
    while (take(&job)) {
        BUG(done++); // DONE
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        LOCK();
        queue[tail++] = i;
        pthread_cond_signal(&cond);
        UNLOCK();
    }
    LOCK();
    closed = 1;
    pthread_cond_broadcast(&cond);
    UNLOCK();
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return done;
}
