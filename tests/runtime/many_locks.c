// 5,000 locks held at once, given back in another order; held by several threads; recursive depth.
#include "check.h"

enum { LOCKS = 5000, DEPTH = 100000 };
static pthread_mutex_t locks[LOCKS];
static int guarded[LOCKS];

static void *take_all(void *arg)
{
    for (int i = 0; i < LOCKS; i++)
        CHECK(pthread_mutex_lock(&locks[i]) == 0);
    for (int i = 0; i < LOCKS; i++)
        guarded[i]++;
    for (int i = 0; i < LOCKS; i++) /* 1237 and 5000 have no common divisor */
        CHECK(pthread_mutex_unlock(&locks[(long)i * 1237 % LOCKS]) == 0);
    return arg;
}

static void deep(void)
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    CHECK(pthread_mutex_init(&m, &a) == 0);
    for (int i = 0; i < DEPTH; i++)
        CHECK(pthread_mutex_lock(&m) == 0);
    for (int i = 0; i < DEPTH; i++)
        CHECK(pthread_mutex_unlock(&m) == 0);
    CHECK(pthread_mutex_destroy(&m) == 0);
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < LOCKS; i++)
        CHECK(pthread_mutex_init(&locks[i], NULL) == 0);
    for (int i = 0; i < 3; i++)
        t[i] = start(take_all, NULL);
    for (int i = 0; i < 3; i++)
        join(t[i]);
    for (int i = 0; i < LOCKS; i++)
        CHECK(guarded[i] == 3 && pthread_mutex_destroy(&locks[i]) == 0);
    deep();
    puts("ok");
}
