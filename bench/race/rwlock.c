/*
 * Readers of a small routing table under one rwlock; one operation in 256 is a write. What a reader
 * sees depends on the schedule, so that only what is invariant goes into the checksum.
 */
#include "work.h"

#define ROUTES 64

struct route {
    uint32_t prefix;
    uint32_t port;
    uint64_t check; /* always prefix * 3 + port */
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct route routes[ROUTES];
static uint64_t generation;
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static void set(uint32_t index, uint32_t port)
{
    struct route *route = &routes[index];

    pthread_rwlock_wrlock(&lock);
    route->port = port;
    route->check = (uint64_t)route->prefix * 3 + port;
    generation++;
    pthread_rwlock_unlock(&lock);
}

static uint64_t look_up(uint32_t index)
{
    uint64_t good = 0;

    pthread_rwlock_rdlock(&lock);
    for (uint32_t i = 0; i < 8; i++) {
        const struct route *route = &routes[(index + i) % ROUTES];

        good += route->check == (uint64_t)route->prefix * 3 + route->port;
    }
    pthread_rwlock_unlock(&lock);
    return good;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    uint64_t seed = self + 1, good = 0;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);

        if (i % 256 == self)
            set(random % ROUTES, (uint32_t)(random >> 32));
        else
            good += look_up(random % ROUTES);
    }
    sums[self] = good;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 500);
    uint64_t sum = 0;

    scale = args.scale;
    for (uint32_t i = 0; i < ROUTES; i++) {
        routes[i].prefix = i * 7;
        set(i, i);
    }
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum += sums[i];
    return work_print("rwlock", work_mix(sum + generation));
}
