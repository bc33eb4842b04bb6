/* The three arguments that the micro-benchmarks of the TREE thesis vary. */
#ifndef BENCH_MICRO_H
#define BENCH_MICRO_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MICRO_MAX 128

static struct {
    unsigned threads, iterations, locks;
} micro;

static inline void micro_parse(int argc, char **argv)
{
    if (argc == 4) {
        micro.threads = (unsigned)strtoul(argv[1], NULL, 10);
        micro.iterations = (unsigned)strtoul(argv[2], NULL, 10);
        micro.locks = (unsigned)strtoul(argv[3], NULL, 10);
    }
    if (!micro.threads || micro.threads > MICRO_MAX || micro.locks > MICRO_MAX) {
        fprintf(stderr, "usage: PROGRAM THREADS 1..128 ITERATIONS LOCKS 0..128\n");
        exit(1);
    }
}

#endif
