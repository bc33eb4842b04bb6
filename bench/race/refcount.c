/*
 * Reference counts: threads borrow shared immutable objects, count references up (relaxed) and down
 * (acquire-release), and whoever drops the last one frees it; SCALE thousand borrowings per thread.
 */
#include <stdatomic.h>
#include "work.h"

#define OBJECTS 64

struct object {
    atomic_uint references;
    uint32_t size;
    uint64_t words[6];
};

static struct object *objects[OBJECTS];
static atomic_ulong freed;
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static struct object *build(uint64_t seed, unsigned references)
{
    struct object *object = work_new(1, sizeof *object);

    atomic_init(&object->references, references);
    object->size = 6;
    for (uint32_t i = 0; i < object->size; i++)
        object->words[i] = work_random(&seed);
    return object;
}

static void release(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) != 1)
        return;
    atomic_fetch_add_explicit(&freed, 1, memory_order_relaxed);
    free(object);
}

static uint64_t borrow(struct object *object)
{
    uint64_t sum = 0;

    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < object->size; i++)
        sum += object->words[i];
    release(object);
    return sum;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    uint64_t seed = self + 1, sum = 0;

    for (unsigned long i = 0; i < scale * 1000; i++)
        sum = work_mix(sum + borrow(objects[work_random(&seed) % OBJECTS]));
    for (int i = 0; i < OBJECTS; i++)
        release(objects[i]);
    sums[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 2500);
    uint64_t sum = 0;

    scale = args.scale;
    for (unsigned i = 0; i < OBJECTS; i++)
        objects[i] = build(i + 1, args.threads);
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("refcount", sum + atomic_load(&freed));
}
