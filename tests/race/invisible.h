/*
 * invisible.h: an order between threads that no detector can see, so that a race program always
 * runs its two accesses in the same order and is still a race.
 *
 * Events are counters; posting and waiting are inline assembly and a raw futex system call: no libc
 * call, no instrumented access, nothing to interpose. The kernel sees them, the tool does not.
 *
 * A program is built twice. Plain, it has the bug; with -DFIXED it does not. BUG(), FIX() and PICK()
 * keep the two together.
 */
#ifndef INVISIBLE_H
#define INVISIBLE_H

#include <pthread.h>
#include <stddef.h>

#ifndef __x86_64__
#error "invisible.h knows x86-64 only"
#endif

#ifdef FIXED
#define BUG(...)
#define FIX(...) __VA_ARGS__
#define PICK(bug, fix) fix
#else
#define BUG(...) __VA_ARGS__
#define FIX(...)
#define PICK(bug, fix) bug
#endif

#define HIDDEN static __attribute__((unused, noinline, no_sanitize("thread")))

static int hidden_events[64];

HIDDEN long hidden_futex(int *word, long op, long value)
{
    long result;
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(202L), "D"(word), "S"(op), "d"(value), "r"(timeout)
                     : "rcx", "r11", "memory");
    return result;
}

/* Counts event number `event` once and wakes who waits for it. */
HIDDEN void hidden_post(int event)
{
    int *word = &hidden_events[event];
    __asm__ volatile("lock incl %0" : "+m"(*word) : : "memory", "cc");
    hidden_futex(word, 1 /* FUTEX_WAKE */, 0x7fffffff);
}

HIDDEN int hidden_count(int event)
{
    int seen;
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(hidden_events[event]) : "memory");
    return seen;
}

/* Returns when `event` was posted `times` times or more. */
HIDDEN void hidden_wait_times(int event, int times)
{
    int seen;
    while ((seen = hidden_count(event)) < times)
        hidden_futex(&hidden_events[event], 0 /* FUTEX_WAIT */, seen);
}

HIDDEN void hidden_wait(int event)
{
    hidden_wait_times(event, 1);
}

/* A meeting of `n` threads, used once per event number. */
HIDDEN void hidden_meet(int event, int n)
{
    hidden_post(event);
    hidden_wait_times(event, n);
}

/* Reads a pointer that another thread has published, unseen. */
HIDDEN void *hidden_load(void *place)
{
    void *value;
    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*(void **)place) : "memory");
    return value;
}

typedef void hidden_body(void);

struct hidden_step {
    hidden_body *body;
    int turn;
};

HIDDEN void *hidden_take_turn(void *arg)
{
    struct hidden_step *step = (struct hidden_step *)arg;
    hidden_wait_times(63, step->turn);
    step->body();
    hidden_post(63);
    return NULL;
}

HIDDEN void hidden_run(struct hidden_step *steps, int n)
{
    pthread_t threads[8];
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, hidden_take_turn, &steps[i]);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* Runs both in threads of their own, the second after the first has returned; joins both. */
HIDDEN void run_in_order(hidden_body *first, hidden_body *second)
{
    struct hidden_step steps[2] = {{first, 0}, {second, 1}};
    hidden_run(steps, 2);
}

HIDDEN void run_three_in_order(hidden_body *first, hidden_body *second, hidden_body *third)
{
    struct hidden_step steps[3] = {{first, 0}, {second, 1}, {third, 2}};
    hidden_run(steps, 3);
}

#endif
