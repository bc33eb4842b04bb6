/* atomicity_fixed.c: one lock around checking and acting. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int balance = 100;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

static int look(void)
{
    pthread_mutex_lock(&l);
    int b = balance;
    pthread_mutex_unlock(&l);
    return b;
}

static void take(int amount)
{
    pthread_mutex_lock(&l);
    balance -= amount;
    pthread_mutex_unlock(&l);
}

static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&both);
    if (look() >= 60)
        take(60);
    pthread_mutex_unlock(&both);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(balance >= 0);
    return 0;
}
