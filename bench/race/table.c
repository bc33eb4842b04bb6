/*
 * Read-shared table: one thread fills a table of 64 Ki words, then all threads read the same words
 * again and again, in order and at random; SCALE passes.
 */
#include "work.h"

#define WORDS (64 * 1024)

static uint32_t table[WORDS];
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static uint64_t in_order(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < WORDS; i++)
        sum = sum * 3 + table[i];
    return sum;
}

static uint64_t at_random(uint64_t seed)
{
    uint64_t sum = 0, at = seed;

    for (uint32_t i = 0; i < WORDS; i++) {
        at = at * 6364136223846793005u + table[at >> 48];
        sum += at >> 40;
    }
    return sum;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    uint64_t sum = 0;

    for (unsigned long pass = 0; pass < scale; pass++)
        sum = work_mix(sum + in_order() + at_random(self + pass));
    sums[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 150);
    uint64_t sum = 0;

    scale = args.scale;
    for (uint32_t i = 0; i < WORDS; i++)
        table[i] = (uint32_t)work_mix(i + 1);
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("table", sum);
}
