/* many.c: threads by the hundred, some detached, pipes between them. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <semaphore.h>
#include <unistd.h>

enum { N = 100 };
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static sem_t gone;
static int count, ends[2];

static void *run(void *arg)
{
    char c = 1;
    pthread_mutex_lock(&l);
    count++;
    pthread_mutex_unlock(&l);
    if (write(ends[1], &c, 1) != 1)
        abort();
    sem_post(&gone);
    return arg;
}

static void *reader(void *arg)
{
    char c;
    for (int i = 0; i < N; i++)
        if (read(ends[0], &c, 1) != 1)
            abort();
    return arg;
}

int main(void)
{
    pthread_t t[N], r;
    if (pipe(ends) != 0)
        return 1;
    sem_init(&gone, 0, 0);
    pthread_create(&r, NULL, reader, NULL);
    for (int i = 0; i < N; i++) {
        pthread_create(&t[i], NULL, run, NULL);
        if (i % 2)
            pthread_detach(t[i]);
    }
    for (int i = 0; i < N; i += 2)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        sem_wait(&gone);
    pthread_join(r, NULL);
    pthread_mutex_lock(&l);
    assert(count == N);
    pthread_mutex_unlock(&l);
    return 0;
}
