// A thread calls exit while others still run; exit handlers and destructors run in it.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 5
// EXPECT-FIXED-EXIT: 5
// EXPECT-STDOUT: handler
// EXPECT-STDOUT: destructor
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

int shared;

static void handler(void)
{
    puts("handler");
}

__attribute__((destructor)) static void destructor(void)
{
    puts("destructor");
}

static void *busy(void *arg)
{
    shared = 1; // RACE1
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

static void *leaver(void *arg)
{
    hidden_wait(0);
    BUG(shared = 2;) // RACE2
    exit(arg ? 6 : 5);
}

int main(void)
{
    pthread_t s, t;
    atexit(handler);
    pthread_create(&s, NULL, busy, NULL);
    pthread_create(&t, NULL, leaver, NULL);
    pthread_join(t, NULL);
    return 0;
}
