/* wake_op.c: one futex operation that changes a second word and wakes who waits at either, as Qt's
 * semaphore does. In the bug only who waits at the first one is woken. */
// EXPECT: confirmed deadlock harmful
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready, closed = 1;

static void give(void)
{
    atomic_store(&ready, 1);
#ifdef FIXED
    long set_to_0 = FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_NE, 0);
    syscall(SYS_futex, &ready, FUTEX_WAKE_OP_PRIVATE, INT_MAX, (void *)(intptr_t)INT_MAX, &closed,
            set_to_0);
#else
    atomic_store(&closed, 0);
    syscall(SYS_futex, &ready, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#endif
}

static void *wait_ready(void *arg)
{
    while (!atomic_load(&ready))
        syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return arg;
}

static void *wait_closed(void *arg)
{
    while (atomic_load(&closed))
        syscall(SYS_futex, &closed, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, wait_ready, NULL);
    pthread_create(&t[1], NULL, wait_closed, NULL);
    give();
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(ready == 1 && closed == 0);
    return 0;
}
