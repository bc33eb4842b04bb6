// main ends by pthread_exit; the process goes on until the last thread is done.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// EXPECT-STDOUT: worker done
// PEER: tsan cannot: the main thread cannot be joined there
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

int data, seen;
pthread_t main_thread;

static void *worker(void *arg)
{
    FIX(pthread_join(main_thread, NULL));
    BUG(hidden_wait(0));
    seen = data; // RACE2
    puts("worker done");
    exit(arg != NULL);
}

int main(void)
{
    pthread_t t;
    main_thread = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    data = 1; // RACE1
    hidden_post(0);
    pthread_exit(NULL);
}
