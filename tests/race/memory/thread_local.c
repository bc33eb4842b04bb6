// A thread-local variable whose address another thread was given.
// EXPECT: data-race RACE1/write RACE2/write
// PEER: tsan misses: names the start of the thread instead of the write
#include "invisible.h"

_Thread_local int slot;
int *address;

static void *owner(void *arg)
{
    address = &slot;
    hidden_post(0);
    hidden_wait(1);
    slot++; // RACE1
    hidden_post(2);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, owner, NULL);
    hidden_wait(0);
    hidden_post(1);
    hidden_wait(2);
    *PICK((int *)hidden_load(&address), &slot) = 1; // RACE2
    pthread_join(t, NULL);
    return 0;
}
