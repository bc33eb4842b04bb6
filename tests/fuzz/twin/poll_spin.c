/*
 * poll_spin.c: a thread polls with a spin lock of its own: that looks like work, and the other must get the lock
 * meanwhile. Both count without the lock; with -DFIXED with it.
 */
// EXPECT: confirmed data-race harmful
// EXPECT: effect exit status 1 instead of 0
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag l = ATOMIC_FLAG_INIT;
static int ready, count;

static void take(void)
{
    while (atomic_flag_test_and_set_explicit(&l, memory_order_acquire))
        ;
}

static void give(void)
{
    atomic_flag_clear_explicit(&l, memory_order_release);
}

static void add(void)
{
#ifdef FIXED
    take();
    count++;
    give();
#else
    count++;
#endif
}

static void *waiter(void *arg)
{
    for (int seen = 0; !seen;) {
        take();
        seen = ready;
        give();
    }
    add();
    return arg;
}

static void *setter(void *arg)
{
    take();
    ready = 1;
    give();
    add();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return count != 2;
}
