/* another_lock.c: where a mutex was is an rwlock now, and then a mutex again. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 10 };
static union {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
} lock;
static int count;

static void *by_mutex(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock.mutex);
        count++;
        pthread_mutex_unlock(&lock.mutex);
    }
    return arg;
}

static void *by_rwlock(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_rwlock_rdlock(&lock.rwlock);
        int before = count;
        pthread_rwlock_unlock(&lock.rwlock);
        pthread_rwlock_wrlock(&lock.rwlock);
        assert(count >= before);
        count++;
        pthread_rwlock_unlock(&lock.rwlock);
    }
    return arg;
}

static void two(void *(*fn)(void *))
{
    pthread_t a, b;
    pthread_create(&a, NULL, fn, NULL);
    pthread_create(&b, NULL, fn, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

int main(void)
{
    lock.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    two(by_mutex);
    lock.rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    two(by_rwlock);
    lock.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    two(by_mutex);
    return count == 6 * N ? 0 : 1;
}
