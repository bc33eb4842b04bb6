/* One contended lock: all threads add to the same few counters, SCALE thousand times each. */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total, count;
static uint32_t last[4];
static unsigned long scale;

static void *worker(void *arg)
{
    uint64_t seed = (uintptr_t)arg + 1;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);

        pthread_mutex_lock(&lock);
        total += random;
        last[count % 4] = (uint32_t)random;
        count++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 1500);

    scale = args.scale;
    work_run(args.threads, worker);
    return work_print("lock", total + count);
}
