// Calls that succeed leave errno alone; calls that fail set it, or return it, as they should.
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

#define KEEPS(call)                                                                                \
    do {                                                                                           \
        errno = 777;                                                                               \
        CHECK(call);                                                                               \
        CHECK(errno == 777);                                                                       \
    } while (0)

#define FAILS(call, error)                                                                         \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CHECK((call) == -1);                                                                       \
        CHECK(errno == error);                                                                     \
    } while (0)

static void *nothing(void *arg)
{
    return arg;
}

static void nothing_once(void)
{
}

static void succeeds(void)
{
    pthread_mutex_t m;
    pthread_rwlock_t rw;
    pthread_spinlock_t spin;
    pthread_cond_t c;
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_t t;
    sem_t sem;
    void *p;
    char text[20];
    KEEPS(pthread_mutex_init(&m, NULL) == 0);
    KEEPS(pthread_mutex_lock(&m) == 0);
    KEEPS(pthread_mutex_trylock(&m) == EBUSY);
    KEEPS(pthread_cond_init(&c, NULL) == 0);
    KEEPS(pthread_cond_timedwait(&c, &m, &(struct timespec){0, 0}) == ETIMEDOUT);
    KEEPS(pthread_cond_signal(&c) == 0);
    KEEPS(pthread_cond_destroy(&c) == 0);
    KEEPS(pthread_mutex_unlock(&m) == 0);
    KEEPS(pthread_mutex_destroy(&m) == 0);
    KEEPS(pthread_rwlock_init(&rw, NULL) == 0);
    KEEPS(pthread_rwlock_rdlock(&rw) == 0);
    KEEPS(pthread_rwlock_trywrlock(&rw) == EBUSY);
    KEEPS(pthread_rwlock_timedwrlock(&rw, &(struct timespec){0, 0}) == ETIMEDOUT);
    KEEPS(pthread_rwlock_unlock(&rw) == 0);
    KEEPS(pthread_rwlock_destroy(&rw) == 0);
    KEEPS(pthread_spin_init(&spin, 0) == 0 && pthread_spin_lock(&spin) == 0);
    KEEPS(pthread_spin_unlock(&spin) == 0 && pthread_spin_destroy(&spin) == 0);
    KEEPS(pthread_once(&once, nothing_once) == 0);
    KEEPS(pthread_create(&t, NULL, nothing, NULL) == 0);
    KEEPS(pthread_join(t, NULL) == 0);
    KEEPS(sem_init(&sem, 0, 1) == 0 && sem_post(&sem) == 0 && sem_wait(&sem) == 0);
    KEEPS(sem_trywait(&sem) == 0 && sem_destroy(&sem) == 0);
    KEEPS((p = malloc(100)) != NULL);
    KEEPS((p = realloc(p, 100000)) != NULL);
    KEEPS((free(p), 1));
    KEEPS(strcmp(strcpy(text, "text"), "text") == 0);
    KEEPS(snprintf(text, sizeof text, "%d", 5) == 1);
    int fds[2];
    KEEPS(pipe(fds) == 0 && write(fds[1], "x", 1) == 1 && read(fds[0], text, 1) == 1);
    KEEPS(close(fds[0]) == 0 && close(fds[1]) == 0);
}

static void fails(void)
{
    sem_t sem;
    char c;
    sem_init(&sem, 0, 0);
    FAILS(sem_trywait(&sem), EAGAIN);
    FAILS(sem_timedwait(&sem, &(struct timespec){0, 0}), ETIMEDOUT);
    FAILS(read(-1, &c, 1), EBADF);
    FAILS(write(-1, &c, 1), EBADF);
    FAILS(close(-1), EBADF);
    FAILS(dup(-1), EBADF);
    FAILS(open("/does/not/exist", O_RDONLY), ENOENT);
    FAILS(fcntl(-1, F_GETFD), EBADF);
    FAILS(munmap((void *)1, 1), EINVAL);
    FAILS(execl("/does/not/exist", "x", (char *)NULL), ENOENT);
    errno = 0;
    CHECK(malloc((size_t)1 << 62) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc((size_t)1 << 40, (size_t)1 << 40) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    CHECK(errno == EINVAL);
    CHECK(sem_open("/snag/not/a/name", 0) == SEM_FAILED && errno != 0);
}

static void results(void)
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    mtx_t c11;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    CHECK(pthread_mutex_init(&m, &a) == 0);
    CHECK(pthread_mutex_lock(&m) == 0);
    CHECK(pthread_mutex_lock(&m) == EDEADLK);
    CHECK(pthread_mutex_unlock(&m) == 0);
    CHECK(mtx_init(&c11, mtx_timed) == thrd_success);
    CHECK(mtx_lock(&c11) == thrd_success);
    CHECK(mtx_trylock(&c11) == thrd_busy);
    CHECK(mtx_timedlock(&c11, &(struct timespec){0, 0}) == thrd_timedout);
    CHECK(mtx_unlock(&c11) == thrd_success);
    mtx_destroy(&c11);
}

int main(void)
{
    succeeds();
    fails();
    results();
    puts("ok");
}
