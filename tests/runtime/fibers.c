// Contexts: arguments arrive, uc_link is followed, fibers in turns and from thread to thread, and
// one that is left by setcontext.

// FLAGS: -O0
#include <semaphore.h>
#include <ucontext.h>
#include "check.h"

enum { FIBERS = 50, TURNS = 20, STACK = 1 << 16 };
static ucontext_t scheduler, fibers[FIBERS];
static int turns[FIBERS], finished, sum;

static void deep_yield(int me, int depth)
{
    if (depth)
        deep_yield(me, depth - 1);
    else
        CHECK(swapcontext(&fibers[me], &scheduler) == 0);
}

static void body(int me, int two, int three, int four, int five, int six, int seven, int eight)
{
    CHECK(two == 2 && three == 3 && four == 4 && five == 5 && six == 6 && seven == 7 && eight == 8);
    for (int i = 0; i < TURNS; i++) {
        turns[me]++;
        deep_yield(me, me % 7);
    }
    finished++;
}

static void round_robin(void)
{
    for (int i = 0; i < FIBERS; i++) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = malloc(STACK);
        fibers[i].uc_stack.ss_size = STACK;
        fibers[i].uc_link = &scheduler;
        makecontext(&fibers[i], (void (*)(void))body, 8, i, 2, 3, 4, 5, 6, 7, 8);
    }
    for (int turn = 0; turn <= TURNS; turn++)
        for (int i = 0; i < FIBERS; i++)
            CHECK(swapcontext(&scheduler, &fibers[i]) == 0);
    CHECK(finished == FIBERS);
    for (int i = 0; i < FIBERS; i++) {
        CHECK(turns[i] == TURNS);
        free(fibers[i].uc_stack.ss_sp);
    }
}

static ucontext_t traveller, home[2];
static sem_t arrived;

static void travel(void)
{
    for (int i = 0; i < 10; i++) {
        sum++;
        swapcontext(&traveller, &home[i % 2]);
    }
}

/* Runs every second turn of the traveller. */
static void *host(void *arg)
{
    sem_wait(&arrived);
    swapcontext(&home[1], &traveller);
    sem_post(arg);
    return arg;
}

static void from_thread_to_thread(void)
{
    sem_t done;
    void *stack = malloc(STACK);
    sem_init(&arrived, 0, 0);
    sem_init(&done, 0, 0);
    getcontext(&traveller);
    traveller.uc_stack.ss_sp = stack;
    traveller.uc_stack.ss_size = STACK;
    traveller.uc_link = NULL;
    makecontext(&traveller, travel, 0);
    for (int i = 0; i < 5; i++) {
        swapcontext(&home[0], &traveller);
        pthread_t t = start(host, &done);
        sem_post(&arrived);
        sem_wait(&done);
        join(t);
    }
    CHECK(sum == 10);
    free(stack);
}

static void jump_back(void)
{
    ucontext_t here;
    volatile int times = 0;
    getcontext(&here);
    if (++times < 100)
        setcontext(&here);
    CHECK(times == 100);
}

int main(void)
{
    round_robin();
    from_thread_to_thread();
    jump_back();
    puts("ok");
}
