/*
 * Pointer chasing, read-shared: one thread builds a binary search tree of SCALE keys, then all
 * threads look keys up in it.
 */
#include "work.h"

struct node {
    uint64_t key;
    uint64_t value;
    struct node *child[2];
};

static struct node *root;
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static void insert(uint64_t key, uint64_t value)
{
    struct node **at = &root;

    while (*at)
        at = &(*at)->child[key > (*at)->key];
    *at = work_new(1, sizeof **at);
    (*at)->key = key;
    (*at)->value = value;
}

static uint64_t find(uint64_t key)
{
    const struct node *at = root;

    while (at && at->key != key)
        at = at->child[key > at->key];
    return at ? at->value : 1;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < scale * 2; i++)
        sum = work_mix(sum + find(work_mix((i * 7 + self) % (scale + scale / 4) + 1)));
    sums[self] = sum;
    return NULL;
}

static void drop(struct node *at)
{
    if (!at)
        return;
    drop(at->child[0]);
    drop(at->child[1]);
    free(at);
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 200000);
    uint64_t sum = 0;

    scale = args.scale;
    for (uint64_t i = 1; i <= scale; i++)
        insert(work_mix(i), i);
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    drop(root);
    return work_print("tree", sum);
}
