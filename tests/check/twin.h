/*
 * twin.h: one file, two programs. Plain, it has the bug; with -DFIXED it does not.
 */
#ifndef TWIN_H
#define TWIN_H

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef FIXED
#define BUG(...)
#define FIX(...) __VA_ARGS__
#define PICK(bug, fix) fix
#else
#define BUG(...) __VA_ARGS__
#define FIX(...)
#define PICK(bug, fix) bug
#endif

static pthread_mutex_t lock __attribute__((unused)) = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)

/* Starts both, waits for both. */
static inline void run_two(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, a, NULL);
    pthread_create(&t[1], NULL, b, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
}

#endif
