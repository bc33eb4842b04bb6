/* atomicity.c: every access is locked, but checking and acting are two critical sections. */
// EXPECT: confirmed order-violation harmful
// EXPECT: effect assertion failed: balance >= 0
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

static void *one(void *arg)
{
    if (look() >= 60)
        take(60);
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
