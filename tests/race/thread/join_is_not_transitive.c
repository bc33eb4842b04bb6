// Joining a thread says nothing about the threads that it has left behind.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include "invisible.h"

int data, seen;

static void *grandchild(void *arg)
{
    data = 1; // RACE1
    hidden_post(0);
    return arg;
}

static void *child(void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, grandchild, NULL);
    FIX(pthread_join(t, NULL));
    BUG(pthread_detach(t));
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    hidden_wait(0);
    seen = data; // RACE2
    return seen - 1;
}
