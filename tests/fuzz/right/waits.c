/* waits.c: barriers, rwlocks, once, timed waits, try locks, recursive and error-checking mutexes. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, checking, recursive;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int made, counted, serial, depth;

static void make(void)
{
    usleep(10);
    made++;
}

static struct timespec soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 1;
    return t;
}

static void *one(void *arg)
{
    struct timespec limit = soon();
    int r;
    pthread_once(&once, make);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    pthread_rwlock_rdlock(&rw);
    assert(made == 1);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
    counted++;
    pthread_rwlock_unlock(&rw);
    pthread_mutex_lock(&l);
    while ((r = pthread_cond_timedwait(&never, &l, &limit)) == 0)
        ; /* it may wake for no reason */
    assert(r == ETIMEDOUT);
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    depth++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    while (pthread_mutex_trylock(&checking) != 0)
        ;
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    pthread_mutex_unlock(&checking);
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attr);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counted == 2 && serial == 1 && depth == 2);
    return 0;
}
