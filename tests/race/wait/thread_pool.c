// Workers take jobs from a list and write results; main reads them when the last is done.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global result
#include "invisible.h"

enum { WORKERS = 4, JOBS = 40 };
int next_job, done, result[JOBS];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;

static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int job = next_job < JOBS ? next_job++ : -1;
        pthread_mutex_unlock(&mutex);
        if (job < 0)
            return arg;
        result[job] = job; // RACE1
        pthread_mutex_lock(&mutex);
        if (++done == JOBS)
            pthread_cond_signal(&all_done);
        pthread_mutex_unlock(&mutex);
        hidden_post(0);
    }
}

int main(void)
{
    pthread_t t[WORKERS];
    int sum = 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    BUG(hidden_wait_times(0, JOBS));
    FIX(pthread_mutex_lock(&mutex));
    FIX(while (done < JOBS) pthread_cond_wait(&all_done, &mutex));
    FIX(pthread_mutex_unlock(&mutex));
    for (int i = 0; i < JOBS; i++)
        sum += result[i]; // RACE2
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return sum - JOBS * (JOBS - 1) / 2;
}
