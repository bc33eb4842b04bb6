// A local variable of one thread, given to another by its address.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: stack local
#include "invisible.h"

static void *child(void *arg)
{
    *(int *)arg = 1; // RACE1
    hidden_post(0);
    return NULL;
}

int main(void)
{
    int local = 0;
    pthread_t t;
    pthread_create(&t, NULL, child, &local);
    hidden_wait(0);
    FIX(pthread_join(t, NULL));
    local = 2; // RACE2
    BUG(pthread_join(t, NULL));
    return local - 2;
}
