#include "hidden.h"

#include <sched.h>

void hidden_set(int *word, int value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

void hidden_wait(int *word, int value)
{
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
        sched_yield();
}

void hidden_meet(int *word, int n)
{
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) < n)
        sched_yield();
}

void hidden_ask(int *word, int say, int answer)
{
    hidden_set(word, say);
    hidden_wait(word, answer);
}

void hidden_answer(int *word, int question, int answer, int bye)
{
    hidden_wait(word, question);
    hidden_set(word, answer);
    hidden_wait(word, bye);
}

void hidden_pass_on(int *from, int *to)
{
    if (from)
        hidden_wait(from, 1);
    hidden_set(to, 1);
}

void hidden_call_then_set(int *word, void (*call)(void))
{
    call();
    hidden_set(word, 1);
}

void hidden_wait_then_call(int *word, void (*call)(void))
{
    hidden_wait(word, 1);
    call();
}

void hidden_set_inside(int **box)
{
    hidden_set(*box, 1);
}

void hidden_wait_inside(int **box)
{
    hidden_wait(*box, 1);
}

static int bell;

void hidden_ring(void)
{
    hidden_set(&bell, 1);
}

void hidden_listen(void)
{
    hidden_wait(&bell, 1);
}
