// Stack memory is used again by another call, and by another thread's stack: no race by itself.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global total
#include "invisible.h"

int total;

__attribute__((noinline)) static int fill(int from)
{
    volatile int numbers[100];
    for (int i = 0; i < 100; i++)
        numbers[i] = from + i;
    return numbers[99];
}

static void *worker(void *arg)
{
    int sum = fill(1) + fill(2);
    BUG(total = sum;) // RACE1
    hidden_post(0);
    return (void *)(long)(sum + !arg);
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 50; i++) { /* each gets the stack of the one before it */
        pthread_create(&t, NULL, worker, NULL);
        hidden_wait_times(0, i + 1);
        if (i == 49)
            total = fill(3); // RACE2
        pthread_join(t, NULL);
    }
    return 0;
}
