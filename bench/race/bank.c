/*
 * Many locks, two held at a time: transfers between random pairs of 256 accounts, locked in the
 * order of their numbers; SCALE thousand transfers per thread. The lock-order graph has many edges.
 */
#include "work.h"

#define ACCOUNTS 256

struct account {
    pthread_mutex_t lock;
    int64_t balance;
    uint32_t transfers;
};

static struct account *accounts;
static unsigned long scale;

static void transfer(unsigned from, unsigned to, int64_t amount)
{
    struct account *low = &accounts[from < to ? from : to];
    struct account *high = &accounts[from < to ? to : from];

    if (from == to)
        return;
    pthread_mutex_lock(&low->lock);
    pthread_mutex_lock(&high->lock);
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
    accounts[from].transfers++;
    accounts[to].transfers++;
    pthread_mutex_unlock(&high->lock);
    pthread_mutex_unlock(&low->lock);
}

static void *worker(void *arg)
{
    uint64_t seed = (uintptr_t)arg + 1;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);

        transfer(random % ACCOUNTS, (random >> 16) % ACCOUNTS, (int64_t)(random >> 56));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 300);
    uint64_t sum = 0;

    scale = args.scale;
    accounts = work_new(ACCOUNTS, sizeof *accounts);
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_mutex_init(&accounts[i].lock, NULL);
    work_run(args.threads, worker);
    for (int i = 0; i < ACCOUNTS; i++)
        sum = work_mix(sum + (uint64_t)accounts[i].balance + accounts[i].transfers);
    return work_print("bank", sum);
}
