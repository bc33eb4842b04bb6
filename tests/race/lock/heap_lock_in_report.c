// Locks that are not globals: one in a heap block is named by where the block comes from, one on the stack
// by its variable.
// EXPECT: data-race HEAP_LOCKED STACK_LOCKED
// EXPECT-OBJECT: global balance
// EXPECT-LOCKS: HEAP_LOCKED "lock in heap block from new_account()"
// EXPECT-TAKEN: HEAP_LOCKED take first
// EXPECT-LOCKS: STACK_LOCKED local
#include "invisible.h"

#include <stdlib.h>

struct account {
    long number;
    pthread_mutex_t mutex;
};

int balance;
static struct account *account;

__attribute__((noinline)) static struct account *new_account(void)
{
    struct account *a = calloc(1, sizeof *a);
    pthread_mutex_init(&a->mutex, NULL);
    return a;
}

__attribute__((noinline)) static void take(struct account *a)
{
    pthread_mutex_lock(&a->mutex);
    hidden_count(0); // so that it is no tail call
}

static void first(void)
{
    take(account);
    balance++; // HEAP_LOCKED
    pthread_mutex_unlock(&account->mutex);
}

static void second(void)
{
    pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&local);
    FIX(pthread_mutex_lock(&account->mutex));
    balance++; // STACK_LOCKED
    FIX(pthread_mutex_unlock(&account->mutex));
    pthread_mutex_unlock(&local);
}

int main(void)
{
    account = new_account();
    run_in_order(first, second);
    free(account);
    return 0;
}
