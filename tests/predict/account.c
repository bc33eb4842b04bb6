/*
 * account.c: the case study of RDIT (thesis, figures 4.6 and 4.7): threads put money into their
 * accounts and add it to the bank's total; main waits for them by asking a library whether they are
 * alive. The library is not instrumented: who takes no notice of it sees main race with both. The
 * only true race is that of the two threads on the total.
 */
#include "alive.h"

#include <stdio.h>
#include <time.h>

struct account {
    int balance;
    pthread_t thread;
};

static int bank_total;
static struct account accounts[2];

static void *first(void *p)
{
    struct account *a = p;
    a->balance += 100;        /* ALARM with sum() */
    bank_total += 100;        /* RACE with second(), ALARM with check() */
    return NULL;
}

static void *second(void *p)
{
    struct account *a = p;
    a->balance += 200;        /* ALARM with sum() */
    bank_total += 200;        /* RACE with first(), ALARM with check() */
    return NULL;
}

static int sum(void)
{
    int all = 0;
    for (int i = 0; i < 2; i++)
        all += accounts[i].balance;
    return all;
}

static int check(int all)
{
    return all == bank_total;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, first, &accounts[0]);
    pthread_create(&thread[1], NULL, second, &accounts[1]);
    for (int i = 0; i < 2; i++)
        while (is_alive(thread[i]))
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    int all = sum();
    if (!check(all))
        puts("the bank's books are wrong");
    return 0;
}
