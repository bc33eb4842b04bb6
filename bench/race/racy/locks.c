/*
 * Locks that do not help: two different ones for the same data, a read lock for a write, and a lock
 * that is let go too early.
 *
 * pairs: under_one-under_two read_locked-read_locked_too after_unlock-inside
 */
#include "hidden.h"

pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t three = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
int balance, visits, size;

static void first(void)
{
    pthread_mutex_lock(&one);
    balance = 1; /* [under_one] */
    pthread_mutex_unlock(&one);
    pthread_mutex_lock(&three);
    pthread_mutex_unlock(&three);
    size = 1; /* [after_unlock] */
}

static void first_reads(void)
{
    pthread_rwlock_rdlock(&shared);
    visits++; /* [read_locked] */
    pthread_rwlock_unlock(&shared);
}

static void second(void)
{
    pthread_mutex_lock(&two);
    balance = 2; /* [under_two] */
    pthread_mutex_unlock(&two);
    pthread_mutex_lock(&three);
    size++; /* [inside] */
    pthread_mutex_unlock(&three);
}

static void second_reads(void)
{
    pthread_rwlock_rdlock(&shared);
    visits++; /* [read_locked_too] */
    pthread_rwlock_unlock(&shared);
}

int main(void)
{
    static const struct hidden_step steps[] = {
        {0, first}, {1, second}, {2, first_reads}, {3, second_reads}};

    HIDDEN_RUN(steps, 4);
    return visits != 2;
}
