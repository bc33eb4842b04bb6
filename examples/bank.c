/*
 * bank.c: an account that forgets money. Two tellers deposit at the same time, but the balance is
 * read outside of the lock. Kind: data race. Find it with `snag hunt`. bank_fixed.c is its twin.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void deposit(int amount)
{
    int before = balance;

    pthread_mutex_lock(&lock);
    balance = before + amount;
    pthread_mutex_unlock(&lock);
}

static void *teller(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++)
        deposit(1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, teller, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("the balance is %d, it should be 2000\n", balance);
    return balance == 2000 ? 0 : 1;
}
