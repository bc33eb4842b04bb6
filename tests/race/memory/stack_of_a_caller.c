// The racing variable belongs to a function further up the stack of the thread that uses it.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: stack local
#include "invisible.h"

static pthread_t t;

static void *child(void *arg)
{
    *(int *)arg = 1; // RACE1
    hidden_post(0);
    return NULL;
}

__attribute__((noinline)) static int inner(int *p)
{
    volatile int other[8] = {0};
    hidden_wait(0);
    FIX(pthread_join(t, NULL));
    *p = 2; // RACE2
    return other[3];
}

__attribute__((noinline)) static int outer(int *p)
{
    volatile int another[8] = {0};
    return inner(p) + another[3];
}

int main(void)
{
    int local = 0;
    pthread_create(&t, NULL, child, &local);
    int zero = outer(&local);
    BUG(pthread_join(t, NULL));
    return local - 2 + zero;
}
