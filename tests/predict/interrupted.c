/*
 * interrupted.c: signal handlers and callbacks while a thread is in a library that snag does not
 * see into. What the library does afterwards is still done by that call.
 *
 *   interrupted NAME        two threads, ordered by what the library does afterwards
 *   interrupted NAME race   its twin, without that order
 *   interrupted step        a handler after the first instruction of calls and callbacks, the
 *                           second, and so on, in what snag does for them too
 */
#include "hidden.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int data, word, other, ready = 1, racy, calls_last;
static volatile sig_atomic_t handled;
volatile int result;
static const char *name;

static void set_data(void)
{
    data = 1;
    if (calls_last)
        hidden_set(&other, 2);
}

static void on_signal(int sig)
{
    (void)sig;
    set_data();
}

static void *writer(void *p)
{
    if (strncmp(name, "signal", 6) == 0)
        hidden_raise_then_set(&word, SIGUSR1);
    else
        hidden_call_then_set(&word, set_data);
    return p;
}

static void *reader(void *p)
{
    hidden_wait(racy ? &ready : &word, 1);
    result = data;
    return p;
}

static __attribute__((noinline)) void count_call(void)
{
    data++;
}

static void step_at_end(void)
{
    data++;
    HIDDEN_STEP(or, HIDDEN_TRAP_FLAG);
}

static void on_step(int sig)
{
    (void)sig;
    handled++;
}

/* After n instructions of a callback; of its end; of what follows a call, then of a call. */
static void interrupt_at(int n)
{
    data = handled = 0;
    hidden_arm(n, SIGUSR1);
    hidden_step_then_call(count_call);
    hidden_arm(n, SIGUSR1);
    hidden_call_then_set(&word, step_at_end);
    hidden_stop();
    hidden_arm(n, SIGUSR1);
    hidden_step();
    count_call();
    hidden_set(&other, n);
    hidden_stop();
    if (data != 3 || handled != 3)
        abort();
}

static int step(void)
{
    enum { INSTRUCTIONS = 200 };
    signal(SIGUSR1, on_step);
    for (int n = 1; n < INSTRUCTIONS; n++)
        interrupt_at(n);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    name = argc > 1 ? argv[1] : "signal";
    racy = argc > 2;
    calls_last = strstr(name, "-calls") != NULL;
    if (strcmp(name, "step") == 0)
        return step();
    signal(SIGUSR1, on_signal);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
