/*
 * Mixed-size fields under a lock: 256 records of 1, 2, 4 and 8 byte fields and a short name, each
 * with its own lock; SCALE thousand updates per thread.
 */
#include <string.h>
#include "work.h"

#define RECORDS 256

struct record {
    pthread_mutex_t lock;
    uint8_t flags;
    uint8_t level;
    uint16_t port;
    uint32_t hits;
    uint64_t bytes;
    char name[12];
    int16_t delta[6];
};

static struct record records[RECORDS];
static unsigned long scale;

static void update(struct record *record, uint64_t random)
{
    pthread_mutex_lock(&record->lock);
    record->flags ^= (uint8_t)(1u << (random & 7));
    record->level += (uint8_t)(random >> 8);
    record->port += (uint16_t)(random >> 16);
    record->hits++;
    record->bytes += random >> 40;
    record->name[random % 11] ^= (char)(random >> 24 & 31);
    record->delta[random % 6] += (int16_t)(random >> 32);
    pthread_mutex_unlock(&record->lock);
}

static void *worker(void *arg)
{
    uint64_t seed = (uintptr_t)arg + 1;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);

        update(&records[random >> 56], random);
    }
    return NULL;
}

static uint64_t sum_of(const struct record *record)
{
    uint64_t sum = record->flags + record->level * 3u + record->port * 5u;

    sum = work_mix(sum + record->hits) + record->bytes;
    for (int i = 0; i < 12; i++)
        sum = work_mix(sum + (unsigned char)record->name[i]);
    for (int i = 0; i < 6; i++)
        sum = work_mix(sum + (uint16_t)record->delta[i]);
    return sum;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 700);
    uint64_t sum = 0;

    scale = args.scale;
    for (int i = 0; i < RECORDS; i++) {
        pthread_mutex_init(&records[i].lock, NULL);
        memcpy(records[i].name, "record", 7);
    }
    work_run(args.threads, worker);
    for (int i = 0; i < RECORDS; i++)
        sum = work_mix(sum + sum_of(&records[i]));
    return work_print("fields", sum);
}
