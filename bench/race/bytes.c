/*
 * Byte stream: SCALE KiB per thread are transformed byte by byte into a second buffer, copied back
 * byte by byte and summed byte by byte.
 */
#include "work.h"

#define PASSES 4

static size_t length;
static uint64_t sums[WORK_THREADS_MAX];

static void transform(unsigned char *to, const unsigned char *from)
{
    unsigned char key = 7;

    for (size_t i = 0; i < length; i++) {
        key = (unsigned char)(key * 5 + from[i]);
        to[i] = key ^ (unsigned char)i;
    }
}

static void copy_back(unsigned char *to, const unsigned char *from)
{
    for (size_t i = 0; i < length; i++)
        to[i] = (unsigned char)(from[length - 1 - i] + 1);
}

static uint64_t checksum(const unsigned char *bytes)
{
    uint32_t low = 1, high = 0;

    for (size_t i = 0; i < length; i++) {
        low = (low + bytes[i]) % 65521;
        high = (high + low) % 65521;
    }
    return (uint64_t)high << 32 | low;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    unsigned char *one = work_new(length, 1), *two = work_new(length, 1);
    uint64_t sum = self;

    for (int pass = 0; pass < PASSES; pass++) {
        transform(two, one);
        copy_back(one, two);
        sum = work_mix(sum + checksum(one));
    }
    sums[self] = sum;
    free(one);
    free(two);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 1024);
    uint64_t sum = 0;

    length = args.scale * 1024;
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("bytes", sum);
}
