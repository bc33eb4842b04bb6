/*
 * memcpy-heavy: each thread moves blocks of 8 bytes to 32 KiB between its buffers with memcpy,
 * memmove and memset, and compares them with memcmp; SCALE thousand operations.
 */
#include <string.h>
#include "work.h"

#define SPACE (64 * 1024)

static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static uint64_t step(unsigned char *one, unsigned char *two, uint64_t random)
{
    size_t size = (size_t)8 << (random % 13);
    size_t from = (random >> 8) % (SPACE - size), to = (random >> 32) % (SPACE - size);

    switch (random >> 5 & 3) {
    case 0:
        memcpy(one + to, two + from, size);
        break;
    case 1:
        memmove(two + to, two + from, size);
        break;
    case 2:
        memset(two + to, (int)(random >> 56), size / 4);
        break;
    default:
        return memcmp(one + to, two + to, size) > 0;
    }
    return one[to] + (uint64_t)two[from];
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    unsigned char *one = work_new(1, SPACE), *two = work_new(1, SPACE);
    uint64_t seed = self + 1, sum = 0;

    for (size_t i = 0; i < SPACE; i++)
        two[i] = (unsigned char)(i * 7);
    for (unsigned long i = 0; i < scale * 1000; i++)
        sum += step(one, two, work_random(&seed));
    sums[self] = sum;
    free(one);
    free(two);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 200);
    uint64_t sum = 0;

    scale = args.scale;
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("copy", sum);
}
