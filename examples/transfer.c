/*
 * transfer.c: money goes from one account to another under both locks, in the order of the
 * arguments. Kind: deadlock. Find it with `snag hunt`: two transfers in opposite directions wait
 * for each other. transfer_fixed.c is its twin.
 */
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay(void *arg)
{
    transfer(&alice, &bob, 10);
    return arg;
}

static void *pay_back(void *arg)
{
    transfer(&bob, &alice, 10);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, pay, NULL);
    pthread_create(&b, NULL, pay_back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return alice.balance + bob.balance == 200 ? 0 : 1;
}
