// Threads that read the members of many structs, write their own, copy them, free them all, take locks in between and
// end, round after round, in an order that is random and common to all. In the bug one writes what others read.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: heap
// PEER: tsan may-miss: its four accesses of eight bytes are other readers' by then
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "invisible.h"

enum { STRUCTS = 300, THREADS = 5, GENERATIONS = 4, ROUNDS = 40 };

struct members {
    int pair[2];
    short four[4];
    char eight[8];
};
static struct members *table;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned threads;
static uint64_t sums[THREADS];

static unsigned dice(uint64_t *seed, unsigned sides)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % sides;
}

static uint64_t __attribute__((noinline)) read_some(unsigned from, unsigned to)
{
    uint64_t sum = 0;
    for (unsigned i = from; i < to; i++) {
        for (int j = 0; j < 2; j++)
            sum += (unsigned)table[i].pair[j];
        for (int j = 0; j < 4; j++)
            sum += (unsigned short)table[i].four[j];
        for (int j = 0; j < 8; j++)
            sum += (unsigned char)table[i].eight[j]; // RACE2
    }
    return sum;
}

static void write_own(unsigned self, unsigned value)
{
    for (unsigned i = 0; i < STRUCTS; i++)
        for (unsigned j = 0; j < 8; j++)
            if ((i + j) % threads == self) {
                table[i].eight[j] = (char)value;
                if (j < 4)
                    table[i].four[j] = (short)value;
                if (j < 2)
                    table[i].pair[j] = (int)value;
            }
}

static void allocate(void)
{
    free(table);
    table = calloc(STRUCTS, sizeof *table);
}

static void count(unsigned self)
{
    for (unsigned k = 0; k < 20; k++) {
        pthread_mutex_lock(&lock);
        table[k % 5].eight[self]++;
        pthread_mutex_unlock(&lock);
    }
}

static void one_round(unsigned what, unsigned self, unsigned who, uint64_t *own)
{
    unsigned from = dice(own, STRUCTS);
    if (what < 3) {
        sums[self] += read_some(0, STRUCTS);
        BUG(if (self == who) table[123].eight[5] = 1;) // RACE1
    } else if (what < 5) {
        write_own(self, from);
    } else if (what == 5 && self == who) {
        allocate();
    } else if (what == 6 && self == who) {
        memset(table, (int)from, STRUCTS / 2 * sizeof *table);
    } else if (what == 7) {
        sums[self] += read_some(from, STRUCTS);
        if (from % 2) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
        sums[self] += read_some(0, from);
    } else if (what == 8) {
        count(self);
    }
}

static void *worker(void *arg)
{
    unsigned self = *(unsigned *)arg;
    uint64_t common = threads, own = self;
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned what = dice(&common, 9), who = dice(&common, threads);
        one_round(what, self, who, &own);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    static unsigned self[THREADS] = {0, 1, 2, 3, 4};
    pthread_t thread[THREADS];
    allocate();
    for (int g = 0; g < GENERATIONS; g++) {
        threads = (unsigned)(THREADS - g);
        pthread_barrier_init(&barrier, NULL, threads);
        for (unsigned i = 0; i < threads; i++)
            pthread_create(&thread[i], NULL, worker, &self[i]);
        for (unsigned i = 0; i < threads; i++)
            pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&barrier);
    }
    free(table);
    return 0;
}
