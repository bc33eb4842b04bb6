// Bank transfer (figure 3): nested locks in the order of the transfer.
// EXPECT: deadlock DEPOSIT DEPOSIT DEPOSIT
#include <pthread.h>

struct account {
    pthread_mutex_t sync;
    int number, balance;
};

static struct account accounts[3];

static void deposit(struct account *a, int amount)
{
    pthread_mutex_lock(&a->sync); // DEPOSIT
    a->balance += amount;
    pthread_mutex_unlock(&a->sync);
}

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->sync);
    if (amount <= from->balance) {
        from->balance -= amount;
        deposit(to, amount);
    }
    pthread_mutex_unlock(&from->sync);
}

static void *client(void *arg)
{
    struct account *from = arg;
#ifdef FIXED
    struct account *to = from->number < 2 ? from + 1 : NULL;
#else
    struct account *to = &accounts[(from->number + 1) % 3];
#endif
    for (int i = 0; i < 3; i++)
        if (to != NULL)
            transfer(from, to, 10);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) {
        pthread_mutex_init(&accounts[i].sync, NULL);
        accounts[i].number = i;
        accounts[i].balance = 100;
    }
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, client, &accounts[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
