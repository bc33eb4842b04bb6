/*
 * What every workload shares: its two arguments, starting its threads, a random generator and the
 * one line that it prints. Everything is static and small, so that each workload stays one object
 * file that any runtime can be linked with.
 *
 * A workload is free of races and prints the same line for the same arguments under every tool.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORK_THREADS_MAX 256

struct work_args {
    unsigned threads;
    unsigned long scale;
};

static inline void work_fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* usage: PROGRAM [THREADS [SCALE]] */
static inline struct work_args work_parse(int argc, char **argv, unsigned threads,
                                          unsigned long scale)
{
    struct work_args args = {threads, scale};

    if (argc > 1)
        args.threads = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        args.scale = strtoul(argv[2], NULL, 10);
    if (args.threads < 1 || args.threads > WORK_THREADS_MAX || args.scale < 1)
        work_fail("usage: PROGRAM [THREADS 1..256 [SCALE 1..]]");
    return args;
}

static inline void *work_new(size_t count, size_t size)
{
    void *block = calloc(count, size);

    if (!block)
        work_fail("out of memory");
    return block;
}

static inline pthread_t work_start(void *(*body)(void *), void *arg)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, body, arg))
        work_fail("cannot start a thread");
    return thread;
}

/* Runs body(0) … body(threads - 1), each in a thread of its own, and waits for all of them. */
static inline void work_run(unsigned threads, void *(*body)(void *))
{
    pthread_t ids[WORK_THREADS_MAX];

    for (unsigned i = 0; i < threads; i++)
        ids[i] = work_start(body, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static inline uint64_t work_mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    return x;
}

/* xorshift; the state must not be 0. */
static inline uint64_t work_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

static inline int work_print(const char *name, uint64_t checksum)
{
    return printf("%s %016llx\n", name, (unsigned long long)checksum) < 0;
}

#endif
