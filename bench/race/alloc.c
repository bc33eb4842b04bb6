/*
 * malloc-heavy: each thread keeps 512 blocks of 8 to 2048 bytes and replaces, grows or frees one of
 * them at random, SCALE thousand times; first and last bytes of a block are written and read.
 */
#include <string.h>
#include "work.h"

#define KEPT 512

struct block {
    unsigned char *bytes;
    uint32_t size;
};

static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static void mark(struct block *block)
{
    block->bytes[0] = (unsigned char)block->size;
    block->bytes[block->size - 1] = (unsigned char)(block->size >> 8);
}

static uint64_t drop(struct block *block)
{
    uint64_t seen;

    if (!block->bytes)
        return 0;
    seen = (uint64_t)block->bytes[0] + block->bytes[block->size - 1];
    free(block->bytes);
    block->bytes = NULL;
    return seen;
}

static void replace(struct block *block, uint64_t random)
{
    block->size = 8u << (random % 9);
    block->bytes = work_new(1, block->size);
    mark(block);
}

static void grow(struct block *block)
{
    unsigned char *bytes;

    if (!block->bytes || block->size > 1024)
        return;
    block->size *= 2;
    bytes = realloc(block->bytes, block->size);
    if (!bytes)
        work_fail("out of memory");
    block->bytes = bytes;
    mark(block);
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    struct block blocks[KEPT];
    uint64_t seed = self + 1, sum = 0;

    memset(blocks, 0, sizeof blocks);
    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);
        struct block *block = &blocks[random % KEPT];

        if ((random >> 20) % 4 == 0) {
            grow(block);
            continue;
        }
        sum += drop(block);
        if ((random >> 20) % 8 != 1)
            replace(block, random >> 32);
    }
    for (int i = 0; i < KEPT; i++)
        sum += drop(&blocks[i]);
    sums[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 700);
    uint64_t sum = 0;

    scale = args.scale;
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("alloc", sum);
}
