// A new thread sees what its creator did before creating it, not what it does afterwards.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include "invisible.h"

int data, seen;

static void *child(void *arg)
{
    hidden_wait(0);
    seen = data; // RACE2
    return arg;
}

int main(void)
{
    pthread_t t;
    FIX(data = 1);
    pthread_create(&t, NULL, child, NULL);
    BUG(data = 1;) // RACE1
    hidden_post(0);
    pthread_join(t, NULL);
    return seen - 1;
}
