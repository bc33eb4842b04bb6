/*
 * Hash table with 64 striped locks: every thread adds SCALE thousand times to the counter of a
 * random key; chains are short, critical sections are a few accesses.
 */
#include "work.h"

#define STRIPES 64
#define BUCKETS 4096
#define KEYS 8192

struct entry {
    struct entry *next;
    uint64_t key;
    uint64_t count;
};

static struct entry *buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES];
static unsigned long scale;

static struct entry *find_or_add(struct entry **bucket, uint64_t key)
{
    struct entry *entry = *bucket;

    while (entry && entry->key != key)
        entry = entry->next;
    if (entry)
        return entry;
    entry = work_new(1, sizeof *entry);
    entry->key = key;
    entry->next = *bucket;
    *bucket = entry;
    return entry;
}

static void add(uint64_t key, uint64_t amount)
{
    uint64_t bucket = work_mix(key) % BUCKETS;
    pthread_mutex_t *stripe = &stripes[bucket % STRIPES];

    pthread_mutex_lock(stripe);
    find_or_add(&buckets[bucket], key)->count += amount;
    pthread_mutex_unlock(stripe);
}

static void *worker(void *arg)
{
    uint64_t seed = (uintptr_t)arg + 1;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);

        add(random % KEYS, random >> 60);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 800);
    uint64_t sum = 0;

    scale = args.scale;
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripes[i], NULL);
    work_run(args.threads, worker);
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *entry = buckets[i]; entry; entry = entry->next)
            sum += work_mix(entry->key + 1) * (entry->count + 1);
    return work_print("hash", sum);
}
