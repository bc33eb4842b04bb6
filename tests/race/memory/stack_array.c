// An array on a worker's stack that main reads while the worker lives.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: stack numbers
// PEER: tsan misses: names the start of the thread instead of the write
#include "invisible.h"

static int *published;

static void *worker(void *arg)
{
    int numbers[10];
    published = numbers;
    int *place = hidden_load(&published); /* the compiler shall not know what it points to */
    hidden_wait(0);
    for (int i = 0; i < 10; i++)
        place[i] = i; // RACE1
    hidden_post(1);
    hidden_wait(2);
    return arg;
}

int main(void)
{
    pthread_t t;
    int seen = 5;
    pthread_create(&t, NULL, worker, NULL);
    hidden_post(0);
    hidden_wait(1);
    BUG(seen = ((int *)hidden_load(&published))[5];) // RACE2
    hidden_post(2);
    pthread_join(t, NULL);
    return seen - 5;
}
