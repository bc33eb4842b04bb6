/*
 * An order between threads that no tool takes for synchronisation: the turn is read and written by
 * machine code that no compiler instruments, and waiting is a bare sched_yield. So a racy program
 * makes the same accesses in the same order in every run, and the order is no happens-before.
 *
 * A program is a list of steps; each names the thread that makes it. All threads stay alive until
 * the last step is done, unless the program says otherwise.
 *
 * The lines of interest carry a name in a comment, like this: [a]. The head of the program lists
 * all pairs that race: a-b. The bench reads both.
 */
#ifndef RACY_HIDDEN_H
#define RACY_HIDDEN_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct hidden_step {
    int thread;
    void (*make)(void);
};

static int hidden_turn;
static const struct hidden_step *hidden_steps;
static int hidden_count;

__attribute__((noinline, unused, no_sanitize("thread"))) static int hidden_read(void)
{
    int now;

    __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(hidden_turn) : "memory");
    return now;
}

__attribute__((noinline, unused, no_sanitize("thread"))) static void hidden_pass(void)
{
    __asm__ volatile("lock incl %0" : "+m"(hidden_turn) : : "memory");
}

__attribute__((noinline, unused, no_sanitize("thread"))) static void hidden_wait(int turn)
{
    while (hidden_read() < turn) {
        long result = SYS_sched_yield;

        __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
    }
}

static void *hidden_thread(void *arg)
{
    int self = (int)(intptr_t)arg;

    for (int i = 0; i < hidden_count; i++) {
        if (hidden_steps[i].thread != self)
            continue;
        hidden_wait(i);
        hidden_steps[i].make();
        hidden_pass();
    }
    hidden_wait(hidden_count);
    return NULL;
}

/* Makes the steps in their order, each in its thread; threads are numbered from 0. */
static inline void hidden_run(const struct hidden_step *steps, int count, int threads)
{
    pthread_t ids[64];

    hidden_steps = steps;
    hidden_count = count;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, hidden_thread, (void *)(intptr_t)i))
            exit(1);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

#define HIDDEN_RUN(steps, threads) hidden_run(steps, sizeof(steps) / sizeof *(steps), threads)

#endif
