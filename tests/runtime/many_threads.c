// 10,000 threads one after another, 1,000 alive at once, detached ones, and a create that fails.
#include <errno.h>
#include <semaphore.h>
#include <sys/mman.h>
#include "check.h"

enum { ONE_BY_ONE = 10000, ALIVE = 1000, DETACHED = 500 };
static int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_here;
static sem_t gone;

static void *increment(void *arg)
{
    counter++; /* ordered by create and join */
    return arg;
}

static void *meet(void *arg)
{
    pthread_barrier_wait(&all_here);
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *leave(void *arg)
{
    sem_post(&gone);
    return arg;
}

static void detached(void)
{
    pthread_attr_t a;
    pthread_t t;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < DETACHED; i++) {
        CHECK(pthread_create(&t, &a, leave, NULL) == 0);
        sem_wait(&gone);
        CHECK(pthread_create(&t, NULL, leave, NULL) == 0);
        CHECK(pthread_detach(t) == 0);
        sem_wait(&gone);
    }
    pthread_attr_destroy(&a);
}

static void own_stack(void)
{
    enum { SIZE = 1 << 20 };
    pthread_attr_t a;
    pthread_t t;
    void *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_init(&a);
    CHECK(pthread_attr_setstack(&a, stack, SIZE) == 0);
    for (int i = 0; i < 20; i++) {
        CHECK(pthread_create(&t, &a, increment, NULL) == 0);
        join(t);
    }
    pthread_attr_destroy(&a);
    CHECK(munmap(stack, SIZE) == 0);
}

static void fails(void)
{
    pthread_attr_t a;
    pthread_t t;
    pthread_attr_init(&a);
    CHECK(pthread_attr_setstacksize(&a, (size_t)1 << 46) == 0);
    for (int i = 0; i < 100; i++)
        CHECK(pthread_create(&t, &a, increment, NULL) == EAGAIN);
    pthread_attr_destroy(&a);
}

int main(void)
{
    static pthread_t t[ALIVE];
    pthread_attr_t small;
    sem_init(&gone, 0, 0);
    for (int i = 0; i < ONE_BY_ONE; i++)
        join(start(increment, NULL));
    CHECK(counter == ONE_BY_ONE);
    own_stack();
    counter = 0;
    pthread_barrier_init(&all_here, NULL, ALIVE + 1);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 17);
    for (int i = 0; i < ALIVE; i++)
        CHECK(pthread_create(&t[i], &small, meet, &t[i]) == 0);
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < ALIVE; i++)
        CHECK(join(t[i]) == &t[i]);
    CHECK(counter == ALIVE);
    CHECK(pthread_barrier_destroy(&all_here) == 0);
    detached();
    fails();
    puts("ok");
}
