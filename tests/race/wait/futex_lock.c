// A lock of atomics and the futex system call, as libraries build it; and the same without order.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global counter
// EXPECT-STDOUT: 4000
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "invisible.h"

int counter;
atomic_int word; /* 0 free, 1 taken, 2 taken and waited for */

static void lock(void)
{
    int free_word = 0;
    if (atomic_compare_exchange_strong_explicit(&word, &free_word, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&word, 2, memory_order_acquire))
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (atomic_exchange_explicit(&word, 0, memory_order_release) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *worker(void *arg)
{
    hidden_meet(0, 4);
    for (int i = 0; i < 1000; i++) {
        lock();
        counter++; // RACE1
        unlock();
    }
    hidden_post(1);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    hidden_wait_times(1, 4);
    FIX(lock());
    printf("%d\n", counter); // RACE2
    FIX(unlock());
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
