// The acquire load comes before the release store: it has read the older value, no order.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

int data, seen;
atomic_int flag;

static void *writer(void *arg)
{
    hidden_wait(PICK(0, 1));
    data = 1; // RACE1
    atomic_store_explicit(&flag, 1, memory_order_release);
    hidden_post(2);
    return arg;
}

static void *reader(void *arg)
{
    BUG(atomic_load_explicit(&flag, memory_order_acquire); hidden_post(0));
    hidden_wait(2);
    FIX(atomic_load_explicit(&flag, memory_order_acquire));
    seen = data; // RACE2
    return arg;
}

int main(void)
{
    pthread_t a, b;
    hidden_post(1);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen - 1;
}
