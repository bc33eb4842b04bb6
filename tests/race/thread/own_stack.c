// Threads on stacks that the program allocates itself, one after another on the same memory.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global total
#include <stdlib.h>
#include "invisible.h"

int total;

__attribute__((noinline)) static int fill(void)
{
    volatile int numbers[500];
    for (int i = 0; i < 500; i++)
        numbers[i] = i;
    return numbers[1];
}

static void *worker(void *arg)
{
    total += fill(); // RACE1
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_attr_t attr;
    void *stack = aligned_alloc(4096, 1 << 20);
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, 1 << 20);
    for (int i = 1; i <= 10; i++) {
        pthread_t t;
        pthread_create(&t, &attr, worker, NULL);
        hidden_wait_times(0, i);
        BUG(total = i == 10 ? 10 : total;) // RACE2
        pthread_join(t, NULL);
    }
    free(stack);
    return total - 10;
}
