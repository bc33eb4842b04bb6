// An exit handler runs while another thread is still at work.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// EXPECT-STDOUT: 1
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

int data;

static void at_exit(void)
{
    printf("%d\n", data); // RACE2
}

static void *worker(void *arg)
{
    data = 1; // RACE1
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    atexit(at_exit);
    pthread_create(&t, NULL, worker, NULL);
    hidden_wait(0);
    FIX(pthread_join(t, NULL));
    return 0;
}
