// A named semaphore orders like any other, also through two handles.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
#include "invisible.h"

int data, seen;
sem_t *post_here, *wait_here;

static void producer(void)
{
    BUG(sem_post(post_here));
    data = 1; // RACE1
    FIX(sem_post(post_here));
}

static void consumer(void)
{
    sem_wait(wait_here);
    seen = data; // RACE2
}

int main(void)
{
    char name[64];
    snprintf(name, sizeof(name), "/snag-test-%d", getpid());
    post_here = sem_open(name, O_CREAT, 0600, 0);
    wait_here = sem_open(name, 0);
    sem_unlink(name);
    if (post_here == SEM_FAILED || wait_here == SEM_FAILED)
        return 2;
    run_in_order(producer, consumer);
    sem_close(post_here);
    sem_close(wait_here);
    return seen - 1;
}
