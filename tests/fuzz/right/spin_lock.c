/* spin_lock.c: a lock of the program's own, and one of libc's. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdatomic.h>

enum { N = 20 };
static atomic_flag own = ATOMIC_FLAG_INIT;
static pthread_spinlock_t libc;
static int a_count, b_count;

static void *one(void *arg)
{
    for (int i = 0; i < N; i++) {
        while (atomic_flag_test_and_set(&own))
            ;
        a_count++;
        atomic_flag_clear(&own);
        pthread_spin_lock(&libc);
        b_count++;
        pthread_spin_unlock(&libc);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&libc, 0);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(a_count == 2 * N && b_count == 2 * N);
    return 0;
}
