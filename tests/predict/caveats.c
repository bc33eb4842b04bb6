/*
 * caveats.c: Caveats 1 to 5 of RDIT (thesis, section 4.3), and how D is found. `caveats NAME` has
 * two threads that are ordered by code that is not recorded: no race. `caveats NAME race` is its
 * twin without that order: the race is there, and was not seen. The race is on `data`.
 */
#include "hidden.h"

#include <pthread.h>
#include <snag.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int data, other, word, word_x, word_y;
static atomic_int flag;
static int racy;
volatile int result; /* or the read would be nothing */
static int *box, **big_box;

static void write_data(void)
{
    data = 1;
}

static void read_data(void)
{
    result = data;
}

/* 1: two calls that overlap in time. The answer of the second ends the first, long before the
 * second ends. */
static void *overlap_write(void *p)
{
    write_data();
    hidden_answer(&word, 1, 2, 3);
    return p;
}

static void *overlap_read(void *p)
{
    if (racy)
        read_data();
    hidden_ask(&word, 1, 2);
    if (!racy)
        read_data();
    hidden_set(&word, 3);
    return p;
}

/* 2: events between the two points of a call: callbacks. */
static void *callback_write(void *p)
{
    hidden_call_then_set(&word, write_data);
    return p;
}

static void *callback_read(void *p)
{
    hidden_wait_then_call(racy ? &other : &word, read_data);
    return p;
}

/* 3: a call and ordinary events of another thread. */
static void *ordinary_write(void *p)
{
    write_data();
    hidden_set((int *)&flag, 1);
    return p;
}

static void *ordinary_read(void *p)
{
    if (racy)
        read_data();
    while (!atomic_load(&flag))
        ;
    if (!racy)
        read_data();
    return p;
}

/* 4: an order over three calls; the first and the last have no address in common. */
static void *chain_write(void *p)
{
    write_data();
    hidden_set(&word_x, 1);
    return p;
}

static void *chain_middle(void *p)
{
    hidden_pass_on(racy ? NULL : &word_x, &word_y);
    return p;
}

static void *chain_read(void *p)
{
    hidden_wait(&word_y, 1);
    read_data();
    return p;
}

/* 5: a global that nobody hands over. These two are excluded. */
__attribute__((noinline)) void excluded_set(void)
{
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) void excluded_wait(void)
{
    while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST))
        ;
}

static void *global_write(void *p)
{
    write_data();
    excluded_set();
    return p;
}

static void *global_read(void *p)
{
    if (racy)
        read_data();
    excluded_wait();
    if (!racy)
        read_data();
    return p;
}

/* Excluded, and handed what they use. */
__attribute__((noinline)) void excluded_set_at(int *at)
{
    __atomic_store_n(at, 1, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) void excluded_wait_at(int *at)
{
    while (!__atomic_load_n(at, __ATOMIC_SEQ_CST))
        ;
}

static void *exclude_write(void *p)
{
    write_data();
    excluded_set_at(&word_x);
    return p;
}

static void *exclude_read(void *p)
{
    excluded_wait_at(racy ? &other : &word_x);
    read_data();
    return p;
}

/* D goes on through pointers: the box is a heap block that points to another. */
static void *inside_write(void *p)
{
    write_data();
    hidden_set_inside(big_box);
    return p;
}

static void *inside_read(void *p)
{
    if (racy)
        read_data();
    hidden_wait_inside(&box);
    if (!racy)
        read_data();
    return p;
}

/* The library's own variables. */
static void *own_write(void *p)
{
    write_data();
    hidden_ring();
    return p;
}

static void *own_read(void *p)
{
    if (racy)
        read_data();
    hidden_listen();
    if (!racy)
        read_data();
    return p;
}

static const struct {
    const char *name;
    void *(*thread[3])(void *);
} cases[] = {
    {"overlap", {overlap_write, overlap_read}},
    {"callback", {callback_write, callback_read}},
    {"ordinary", {ordinary_write, ordinary_read}},
    {"chain", {chain_write, chain_middle, chain_read}},
    {"global", {global_write, global_read}},
    {"unnamed", {global_write, global_read}},
    {"exclude", {exclude_write, exclude_read}},
    {"inside", {inside_write, inside_read}},
    {"own", {own_write, own_read}},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    racy = argc > 2;
    box = calloc(4, sizeof *box);
    big_box = malloc(2 * sizeof *big_box);
    big_box[0] = box;
    if (strcmp(name, "global") == 0)
        SNAG_GLOBAL(word);
    if (racy)
        other = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pthread_t thread[3];
        int n = 0;
        if (strcmp(name, cases[i].name) != 0)
            continue;
        for (; n < 3 && cases[i].thread[n]; n++)
            pthread_create(&thread[n], NULL, cases[i].thread[n], NULL);
        while (n > 0)
            pthread_join(thread[--n], NULL);
    }
    return 0;
}
