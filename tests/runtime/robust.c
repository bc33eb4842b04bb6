// Robust mutexes: the owner's death is told once, consistent() repairs, without it the mutex is
// lost.
#include <errno.h>
#include "check.h"

static pthread_mutex_t mutex;
static int data;

static void *die_holding(void *arg)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    data++;
    return arg;
}

static void make(int type, int protocol)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&a, type);
    pthread_mutexattr_setprotocol(&a, protocol);
    CHECK(pthread_mutex_init(&mutex, &a) == 0);
    pthread_mutexattr_destroy(&a);
}

static void repair(void)
{
    join(start(die_holding, NULL));
    CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    data++;
    CHECK(pthread_mutex_consistent(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void lose(void)
{
    join(start(die_holding, NULL));
    CHECK(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
}

int main(void)
{
    int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            make(types[i], protocols[j]);
            repair();
            lose();
        }
    CHECK(data == 18);
    puts("ok");
}
