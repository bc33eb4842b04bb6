/* bank_fixed.c: bank.c without its bug: the balance is read and written under the lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void deposit(int amount)
{
    pthread_mutex_lock(&lock);
    balance += amount;
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
