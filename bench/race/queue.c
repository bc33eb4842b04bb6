/*
 * Condition-variable queue: half of the threads put numbers into a bounded queue of 64 places, the
 * other half take them out; SCALE thousand numbers per producer.
 */
#include "work.h"

#define PLACES 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static uint64_t places[PLACES];
static unsigned head, used;
static unsigned producers, producing;
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static void put(uint64_t value)
{
    pthread_mutex_lock(&lock);
    while (used == PLACES)
        pthread_cond_wait(&not_full, &lock);
    places[(head + used++) % PLACES] = value;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

/* Returns 0 when the queue is empty and no producer is left. */
static int take(uint64_t *value)
{
    int got = 0;

    pthread_mutex_lock(&lock);
    while (used == 0 && producing > 0)
        pthread_cond_wait(&not_empty, &lock);
    if (used > 0) {
        *value = places[head];
        head = (head + 1) % PLACES;
        used--;
        got = 1;
        pthread_cond_signal(&not_full);
    }
    pthread_mutex_unlock(&lock);
    return got;
}

static void produce(uint64_t seed)
{
    for (unsigned long i = 0; i < scale * 1000; i++)
        put(work_random(&seed));
    pthread_mutex_lock(&lock);
    producing--;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    uint64_t value, sum = 0;

    if (self < producers) {
        produce(self + 1);
        return NULL;
    }
    while (take(&value))
        sum += work_mix(value);
    sums[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 250);
    unsigned threads = args.threads < 2 ? 2 : args.threads;
    uint64_t sum = 0;

    scale = args.scale;
    producers = producing = threads / 2;
    work_run(threads, worker);
    for (unsigned i = 0; i < threads; i++)
        sum += sums[i];
    return work_print("queue", sum);
}
