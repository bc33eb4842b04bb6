/* transfer_fixed.c: transfer.c without its bug: the locks are taken in the order of addresses. */
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
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
