/*
 * bank.c: transfers between accounts, each under its own lock; an auditor looks at the books.
 * EXCLUDE: both_lock both_unlock
 */
#include <pthread.h>
#include <stdlib.h>

#include "greeting.h"
#include "work.h"

enum { THREADS = 3, ACCOUNTS = 4 };

struct account {
    pthread_mutex_t lock;
    int balance, moves;
};

static struct account account[ACCOUNTS];
static pthread_mutex_t audit_lock = PTHREAD_MUTEX_INITIALIZER;
static int transfers, audit_mode, audit_by, suspicious, turnover;
volatile int sink;

void both_lock(struct account *a, struct account *b)
{
    pthread_mutex_lock(a < b ? &a->lock : &b->lock);
    pthread_mutex_lock(a < b ? &b->lock : &a->lock);
}

void both_unlock(struct account *a, struct account *b)
{
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_unlock(&b->lock);
}

static void sign(int who)
{
    pthread_mutex_lock(&audit_lock);
    audit_by = who;
    pthread_mutex_unlock(&audit_lock);
}

static void *trade(void *p)
{
    int me = (int)(long)p % 16, n = (int)((long)p >> 8);
    greet(me);
    for (int i = 0; i < n; i++) {
        struct account *from = &account[(me + i) % ACCOUNTS],
                       *to = &account[(me + i + 1) % ACCOUNTS];
        do_work((unsigned)i);
        both_lock(from, to);
        from->balance -= i;
        to->balance += i;
        from->moves++;
        both_unlock(from, to);
        transfers++; /* no lock */
        if (i == n / 2) {
            audit_mode = me + 1; /* no lock, before that of sign() */
            sign(me);
        }
        turnover = i; /* no lock */
    }
    return NULL;
}

static void *audit(void *p)
{
    for (int i = 0; i < 3; i++) {
        sign(-1);
        if (audit_mode)
            suspicious = 1;
    }
    return p;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atoi(argv[1]) : 10;
    pthread_t thread[THREADS + 1];
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_mutex_init(&account[i].lock, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, trade, (void *)(n << 8 | i));
    pthread_create(&thread[THREADS], NULL, audit, NULL);
    sink = greeting();
    for (int i = 0; i <= THREADS; i++)
        pthread_join(thread[i], NULL);
    sink = transfers + suspicious + turnover + account[0].moves;
    return 0;
}
