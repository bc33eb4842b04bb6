// Every primitive does what it is for: mutual exclusion, hand-over, rounds, counting, once.
#include <errno.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

enum { THREADS = 4, ROUNDS = 2000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t inherit;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static mtx_t c11;
static long by_mutex, by_recursive, by_adaptive, by_inherit, by_rwlock, by_spin, by_sem, by_c11;
static int serial[ROUNDS], slots[THREADS], initialised;
static once_flag c11_once = ONCE_FLAG_INIT;
static pthread_once_t once = PTHREAD_ONCE_INIT, inner_once = PTHREAD_ONCE_INIT;
static atomic_int futex_word;
static int futex_data;

static void initialise_inner(void)
{
    initialised += 10;
}

static void initialise(void)
{
    pthread_once(&inner_once, initialise_inner);
    initialised++;
}

static void initialise_c11(void)
{
    initialised += 100;
}

static struct timespec soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 60;
    return t;
}

static void exclude(void)
{
    struct timespec limit = soon();
    pthread_mutex_lock(&mutex);
    by_mutex++;
    pthread_mutex_unlock(&mutex);
    CHECK(pthread_mutex_timedlock(&mutex, &limit) == 0);
    by_mutex++;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    by_recursive++;
    pthread_mutex_unlock(&recursive);
    by_recursive++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_lock(&adaptive);
    by_adaptive++;
    pthread_mutex_unlock(&adaptive);
    pthread_mutex_lock(&inherit);
    by_inherit++;
    pthread_mutex_unlock(&inherit);
    pthread_rwlock_wrlock(&rwlock);
    by_rwlock++;
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_rdlock(&rwlock);
    CHECK(by_rwlock > 0);
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    by_spin++;
    pthread_spin_unlock(&spin);
    CHECK(sem_wait(&sem) == 0);
    by_sem++;
    sem_post(&sem);
    mtx_lock(&c11);
    by_c11++;
    mtx_unlock(&c11);
}

static void *work(void *arg)
{
    int me = *(int *)arg;
    pthread_once(&once, initialise);
    call_once(&c11_once, initialise_c11);
    CHECK(initialised == 111);
    for (int i = 0; i < ROUNDS; i++)
        exclude();
    for (int i = 0; i < ROUNDS / 10; i++) {
        slots[me] = i;
        int r = pthread_barrier_wait(&barrier);
        CHECK(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
        if (r)
            serial[i]++;
        for (int j = 0; j < THREADS; j++)
            CHECK(slots[j] == i);
        pthread_barrier_wait(&barrier);
    }
    return arg;
}

/* A lock made of a futex, as libraries make them. */
static void futex_lock(void)
{
    int zero = 0;
    while (!atomic_compare_exchange_strong(&futex_word, &zero, 1)) {
        syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
        zero = 0;
    }
}

static void futex_unlock(void)
{
    atomic_store(&futex_word, 0);
    syscall(SYS_futex, &futex_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *use_futex(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        futex_lock();
        futex_data++;
        futex_unlock();
    }
    return arg;
}

static void run(void *(*fn)(void *))
{
    pthread_t t[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        t[i] = start(fn, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        join(t[i]);
}

int main(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    CHECK(pthread_mutex_init(&inherit, &a) == 0);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&sem, 0, 1);
    mtx_init(&c11, mtx_plain);
    run(work);
    long all = (long)THREADS * ROUNDS;
    CHECK(by_mutex == 2 * all && by_recursive == 2 * all && by_adaptive == all);
    CHECK(by_inherit == all && by_rwlock == all && by_spin == all && by_sem == all &&
          by_c11 == all);
    for (int i = 0; i < ROUNDS / 10; i++)
        CHECK(serial[i] == 1);
    run(use_futex);
    CHECK(futex_data == all);
    CHECK(pthread_barrier_destroy(&barrier) == 0 && pthread_rwlock_destroy(&rwlock) == 0);
    puts("ok");
}
