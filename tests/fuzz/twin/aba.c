/* aba.c: a stack of indices whose top is compared without a tag; a node comes back while another thread
 * still has its old successor. With the tag it is right. */
// EXPECT: confirmed order-violation harmful
// EXPECT: effect assertion failed: !was
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { N = 3 };
static atomic_uint next[N], used[N];
static _Atomic uint64_t top; /* low half: 1 + index, high half: tag */

static uint64_t with_tag(uint64_t old, uint32_t index)
{
#ifdef FIXED
    return ((old >> 32) + 1) << 32 | index;
#else
    (void)old;
    return index;
#endif
}

static int pop(void)
{
    uint64_t old = atomic_load(&top);
    while ((uint32_t)old) {
        uint32_t after = atomic_load(&next[(uint32_t)old - 1]);
        if (atomic_compare_exchange_strong(&top, &old, with_tag(old, after)))
            return (int)(uint32_t)old - 1;
    }
    return -1;
}

static void push(int i)
{
    uint64_t old = atomic_load(&top);
    do
        atomic_store(&next[i], (uint32_t)old);
    while (!atomic_compare_exchange_strong(&top, &old, with_tag(old, (uint32_t)i + 1)));
}

static int take(void)
{
    int i = pop();
    if (i >= 0) {
        unsigned was = atomic_exchange(&used[i], 1);
        assert(!was);
    }
    return i;
}

static void give(int i)
{
    if (i < 0)
        return;
    atomic_store(&used[i], 0);
    push(i);
}

static void *one(void *arg)
{
    give(take());
    return arg;
}

static void *other(void *arg)
{
    int first = take();
    take();
    give(first);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    for (int i = N; i-- > 0;)
        push(i);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    take();
    take();
    return 0;
}
