/* stop.c: the side of sn_stop that waits. */
#include "core/stop.h"

#include <linux/membarrier.h>

#include "core/park.h"

enum { LOOK_US = 50, MOST_LOOKS = 20000 };

uint32_t sn_stop;
static const struct sn_thread *stopper; /* belongs to who has set sn_stop */
void (*sn_thread_on_signal)(struct sn_thread *t);
void (*sn_thread_on_put_off)(struct sn_thread *t);
bool (*sn_thread_is_parked)(const struct sn_thread *t);

void sn_stop_init(void)
{
    sn_sys3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

/* Who has stopped the others does not wait for itself. */
void sn_stop_wait(uint32_t *inside)
{
    const struct sn_thread *by = __atomic_load_n(&stopper, __ATOMIC_RELAXED);
    if (by && (inside == &by->in_hook || inside == &by->busy))
        return;
    do {
        __atomic_store_n(inside, 0, __ATOMIC_RELEASE); /* pairs with inside_now() */
        while (__atomic_load_n(&sn_stop, __ATOMIC_ACQUIRE))
            sn_sleep_us(LOOK_US);
        __atomic_store_n(inside, 1, __ATOMIC_SEQ_CST);
    } while (__atomic_load_n(&sn_stop, __ATOMIC_SEQ_CST));
}

void sn_park(uint32_t *parked)
{
    __atomic_store_n(parked, 1, __ATOMIC_RELEASE); /* pairs with inside_now() */
}

void sn_unpark(uint32_t *parked)
{
    __atomic_store_n(parked, 0, __ATOMIC_SEQ_CST);
    while (SN_UNLIKELY(__atomic_load_n(&sn_stop, __ATOMIC_SEQ_CST))) {
        sn_park(parked);
        while (__atomic_load_n(&sn_stop, __ATOMIC_ACQUIRE))
            sn_sleep_us(LOOK_US);
        __atomic_store_n(parked, 0, __ATOMIC_SEQ_CST);
    }
}

/* A new thread is inside before it is known to run; what a finished one still has to do needs no
 * stop. */
static int inside_now(const struct sn_thread *t)
{
    int state = (int)__atomic_load_n(&t->state, __ATOMIC_RELAXED);
    return (state == SN_T_RUNNING || state == SN_T_NEW) &&
           (__atomic_load_n(&t->in_hook, __ATOMIC_ACQUIRE) ||
            __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE)) &&
           !(sn_thread_is_parked && sn_thread_is_parked(t));
}

/* 1: nobody but self is inside. */
static int wait_for_others(struct sn_thread *self)
{
    int looks = 0;
    __atomic_store_n(&stopper, self, __ATOMIC_RELAXED);
    sn_sys3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    for (uint32_t i = 0; i < sn_thread_count(); i++) {
        const struct sn_thread *t = sn_thread_at(i);
        while (t != self && inside_now(t) && looks++ < MOST_LOOKS)
            sn_sleep_us(LOOK_US);
    }
    return looks <= MOST_LOOKS;
}

void sn_stop_others(struct sn_thread *self)
{
    while (__atomic_exchange_n(&sn_stop, 1, __ATOMIC_SEQ_CST))
        sn_sleep_us(LOOK_US);
    wait_for_others(self);
}

int sn_stop_try(struct sn_thread *self)
{
    if (__atomic_exchange_n(&sn_stop, 1, __ATOMIC_SEQ_CST))
        return 0;
    if (wait_for_others(self))
        return 1;
    sn_stop_end();
    return 0;
}

void sn_stop_end(void)
{
    __atomic_store_n(&stopper, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&sn_stop, 0, __ATOMIC_RELEASE);
}
