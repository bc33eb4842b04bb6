// Cancellation inside blocking calls: cleanup handlers find the mutex of a condition wait taken
// again, and the locks and threads are usable afterwards.
#include <errno.h>
#include <semaphore.h>
#include <unistd.h>
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t arrived, empty;
static int cleaned, pipe_fds[2];
static pthread_t sleeper;

static void unlock_mutex(void *arg)
{
    cleaned++; /* under the mutex */
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    (void)arg;
}

static void *wait_cond(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock_mutex, NULL);
    sem_post(&arrived);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return arg;
}

static void *wait_cond_timed(void *arg)
{
    struct timespec far = {.tv_sec = 4000000000};
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock_mutex, NULL);
    sem_post(&arrived);
    for (;;)
        pthread_cond_timedwait(&never, &mutex, &far);
    pthread_cleanup_pop(0);
    return arg;
}

static void *wait_sem(void *arg)
{
    sem_post(&arrived);
    sem_wait(&empty);
    return arg;
}

static void *wait_read(void *arg)
{
    char c;
    sem_post(&arrived);
    CHECK(read(pipe_fds[0], &c, 1) == 1);
    return arg;
}

static void *wait_join(void *arg)
{
    sem_post(&arrived);
    pthread_join(sleeper, NULL);
    return arg;
}

static void *sleep_on(void *arg)
{
    sem_wait(&empty);
    return arg;
}

static void *exit_deep(void *arg)
{
    if (arg)
        exit_deep((char *)arg - 1);
    pthread_exit((void *)42);
}

static void cancel_in(void *(*fn)(void *))
{
    pthread_t t = start(fn, NULL);
    sem_wait(&arrived);
    CHECK(pthread_cancel(t) == 0);
    CHECK(join(t) == PTHREAD_CANCELED);
}

int main(void)
{
    sem_init(&arrived, 0, 0);
    sem_init(&empty, 0, 0);
    CHECK(pipe(pipe_fds) == 0);
    for (int i = 0; i < 20; i++) {
        cancel_in(wait_cond);
        cancel_in(wait_cond_timed);
        cancel_in(wait_sem);
        cancel_in(wait_read);
    }
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(cleaned == 40);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    sleeper = start(sleep_on, NULL);
    cancel_in(wait_join);
    sem_post(&empty);
    join(sleeper);
    CHECK(join(start(exit_deep, (void *)100)) == (void *)42);
    CHECK(pthread_cond_destroy(&never) == 0);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    puts("ok");
}
