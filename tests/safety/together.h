/*
 * together.h: two threads that begin at the same moment, for the programs of this folder. With FIXED
 * the calls stand between LOCK and UNLOCK; without it these are nothing.
 */
#ifndef TOGETHER_H
#define TOGETHER_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define ROUNDS 4000
#define NOTHING_TO_FIND 77 /* status: this library makes it right */

#ifdef FIXED
static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&the_lock)
#define UNLOCK pthread_mutex_unlock(&the_lock)
#else
#define LOCK ((void)0)
#define UNLOCK ((void)0)
#endif

static atomic_int arrived;

static inline void arrive(void)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 2)
        sched_yield();
}

static inline void together(void *(*a)(void *), void *(*b)(void *), void *arg)
{
    pthread_t x, y;
    atomic_store(&arrived, 0);
    pthread_create(&x, 0, a, arg);
    pthread_create(&y, 0, b, arg);
    pthread_join(x, 0);
    pthread_join(y, 0);
}

#endif
