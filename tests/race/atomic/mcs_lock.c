// A queue lock of Mellor-Crummey and Scott on thread-local nodes, four threads at once.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global counter
#include <stdatomic.h>
#include "invisible.h"

struct node {
    _Atomic(struct node *) next;
    atomic_int waiting;
};
static _Atomic(struct node *) tail;
static _Thread_local struct node mine;
int counter;

static void lock(void)
{
    atomic_store_explicit(&mine.next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine.waiting, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, &mine, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, &mine, memory_order_release);
    while (atomic_load_explicit(&mine.waiting, memory_order_acquire))
        ;
}

static void unlock(void)
{
    struct node *self = &mine, *after;
    if (!atomic_load_explicit(&mine.next, memory_order_acquire) &&
        atomic_compare_exchange_strong_explicit(&tail, &self, NULL, memory_order_release,
                                                memory_order_relaxed))
        return;
    while (!(after = atomic_load_explicit(&mine.next, memory_order_acquire)))
        ;
    atomic_store_explicit(&after->waiting, 0, memory_order_release);
}

static void *worker(void *arg)
{
    hidden_meet(0, 4);
    for (int i = 0; i < 25; i++) {
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
    counter += 2; // RACE2
    FIX(unlock());
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return counter - 102;
}
