// EXPECT: deadlock
// Two locks in two orders, in a program that is not instrumented. With FIXED the order is one.
#include <stdio.h>

#include "together.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
#ifndef FIXED
    arrive();
#endif
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *one(void *unused)
{
    both(&a, &b);
    return unused;
}

static void *two(void *unused)
{
#ifdef FIXED
    both(&a, &b);
#else
    both(&b, &a);
#endif
    return unused;
}

int main(void)
{
    together(one, two, 0);
    puts("done");
    return 0;
}
