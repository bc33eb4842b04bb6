// A race in an exit handler, the last thing that the program does.
// EXPECT: data-race RACE1 RACE2
// EXPECT-STDOUT: end
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

int shared;

static void *worker(void *arg)
{
    shared = 1; // RACE1
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

static void handler(void)
{
    hidden_wait(0);
    BUG(shared = 2;) // RACE2
    puts("end");
}

int main(void)
{
    pthread_t t;
    atexit(handler);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
