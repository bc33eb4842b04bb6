// A robust mutex whose owner ended: the next owner comes after everything that the dead one did.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// EXPECT-STDOUT: owner died 1
// PEER: tsan false-alarm: the death of the owner releases nothing there
#include <errno.h>
#include <stdio.h>
#include "invisible.h"

int data, seen, died;
pthread_mutex_t mutex;

static void *owner(void *arg)
{
    pthread_mutex_lock(&mutex);
    data = 1;   // RACE1
    return arg; /* still holding it */
}

static void *heir(void *arg)
{
    hidden_wait(0);
    BUG(seen = data;) // RACE2
    died = pthread_mutex_lock(&mutex) == EOWNERDEAD;
    FIX(seen = data);
    pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&b, NULL, heir, NULL);
    pthread_create(&a, NULL, owner, NULL);
    pthread_join(a, NULL);
    hidden_post(0);
    pthread_join(b, NULL);
    printf("owner died %d\n", died);
    return seen - 1;
}
