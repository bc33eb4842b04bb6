// What a thread did is over for who has joined it, not for who knows that it has ended.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include "invisible.h"

int data, seen;

static void *child(void *arg)
{
    data = 1; // RACE1
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    hidden_wait(0);
    FIX(pthread_join(t, NULL));
    seen = data; // RACE2
    BUG(pthread_join(t, NULL));
    return seen - 1;
}
