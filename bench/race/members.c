/*
 * Small structs that all threads read in one half of a round; in the other half each member is
 * written by a thread of its own. A barrier between the halves; SCALE rounds.
 */
#include "work.h"

enum { STRUCTS = 300 };

static struct {
    int pair[2];
    short four[4];
    char eight[8];
} table[STRUCTS];
static pthread_barrier_t barrier;
static unsigned threads;
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static uint64_t read_all(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < STRUCTS; i++) {
        for (unsigned j = 0; j < 2; j++)
            sum += (unsigned)table[i].pair[j];
        for (unsigned j = 0; j < 4; j++)
            sum += (unsigned short)table[i].four[j];
        for (unsigned j = 0; j < 8; j++)
            sum += (unsigned char)table[i].eight[j];
    }
    return sum;
}

static void write_own(unsigned self, unsigned long round)
{
    for (unsigned i = 0; i < STRUCTS; i++) {
        for (unsigned j = 0; j < 2; j++)
            if ((i + j) % threads == self)
                table[i].pair[j] = (int)(round + i + j);
        for (unsigned j = 0; j < 4; j++)
            if ((i + j) % threads == self)
                table[i].four[j] = (short)(round + i + j);
        for (unsigned j = 0; j < 8; j++)
            if ((i + j) % threads == self)
                table[i].eight[j] = (char)(round + i + j);
    }
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    uint64_t sum = 0;

    for (unsigned long round = 0; round < scale; round++) {
        sum = work_mix(sum + read_all());
        pthread_barrier_wait(&barrier);
        write_own(self, round);
        pthread_barrier_wait(&barrier);
    }
    sums[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 600);
    uint64_t sum = 0;

    threads = args.threads;
    scale = args.scale;
    pthread_barrier_init(&barrier, NULL, threads);
    work_run(threads, worker);
    pthread_barrier_destroy(&barrier);
    for (unsigned i = 0; i < threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("members", sum);
}
