// Sixteen threads with slots of their own side by side; one has a wrong number.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global slot
#include "invisible.h"

enum { THREADS = 16 };
short slot[THREADS];

static void *worker(void *arg)
{
    long n = (long)arg;
    hidden_meet(0, THREADS);
    for (int i = 0; i < 1000; i++) // RACE1
        slot[n]++;                 // RACE1
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)(PICK(i == 9 ? 5 : i, i)));
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
