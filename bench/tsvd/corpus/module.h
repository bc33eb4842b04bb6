/*
 * module.h: what the modules of the corpus share. work() stands for what a real test waits for: the
 * disk, the network, a computation.
 */
#ifndef MODULE_H
#define MODULE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOCK(m) pthread_mutex_lock(&(m))
#define UNLOCK(m) pthread_mutex_unlock(&(m))

__attribute__((unused)) static void work(unsigned ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&t, 0);
}

/* n threads with their numbers as arguments, and waits for all. */
__attribute__((unused)) static void all(int n, void *(*f)(void *))
{
    pthread_t t[16];
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], 0, f, (void *)(intptr_t)i);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
}

__attribute__((unused)) static void both(void *(*f)(void *), void *(*g)(void *))
{
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, g, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
}

#endif
