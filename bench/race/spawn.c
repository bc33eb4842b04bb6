/*
 * Many short threads: SCALE threads in waves of THREADS; each sums a small slice, writes its result
 * and ends.
 */
#include "work.h"

#define SLICE 256

static uint32_t numbers[WORK_THREADS_MAX][SLICE];
static uint64_t results[WORK_THREADS_MAX];

static void *brief(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    uint64_t sum = 0;

    for (int i = 0; i < SLICE; i++) {
        numbers[self][i] += (uint32_t)i;
        sum += numbers[self][i];
    }
    results[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 4000);
    uint64_t sum = 0;

    for (unsigned long done = 0; done < args.scale; done += args.threads) {
        work_run(args.threads, brief);
        for (unsigned i = 0; i < args.threads; i++)
            sum = work_mix(sum + results[i]);
    }
    return work_print("spawn", sum);
}
