// volatile orders nothing between threads.
// EXPECT: data-race SET/write WAIT/read
#include "../twin.h"

PICK(volatile, _Atomic) int ready;

static void *producer(void *arg)
{
    ready = 1; // SET
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < 20 && !ready; i++) // WAIT
        ;
    return arg;
}

int main(void)
{
    run_two(producer, consumer);
    return 0;
}
