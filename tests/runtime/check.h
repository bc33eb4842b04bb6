/* check.h: a condition that must hold, or the program ends with status 1 and says which. */
#ifndef CHECK_H
#define CHECK_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #x);                  \
            _Exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static inline pthread_t start(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, fn, arg) == 0);
    return t;
}

static inline void *join(pthread_t t)
{
    void *r;
    CHECK(pthread_join(t, &r) == 0);
    return r;
}

#endif
