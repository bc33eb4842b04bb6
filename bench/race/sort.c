/*
 * Parallel merge sort of SCALE thousand integers: the upper levels start a thread for one half, the
 * lower ones recurse, the leaves are sorted by insertion.
 */
#include <string.h>
#include "work.h"

#define LEAF 24

struct part {
    uint32_t *items, *spare;
    size_t count;
    unsigned threads; /* that this part may use */
};

static void sort_leaf(uint32_t *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t item = items[i];
        size_t at = i;

        for (; at > 0 && items[at - 1] > item; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void merge(uint32_t *items, uint32_t *spare, size_t half, size_t count)
{
    size_t left = 0, right = half;

    for (size_t i = 0; i < count; i++) {
        int take_left = right == count || (left < half && items[left] <= items[right]);

        spare[i] = take_left ? items[left++] : items[right++];
    }
    memcpy(items, spare, count * sizeof *items);
}

static void sort(const struct part *part);

static void *sort_thread(void *arg)
{
    sort(arg);
    return NULL;
}

static void sort(const struct part *part)
{
    size_t half = part->count / 2;
    struct part left = {part->items, part->spare, half, part->threads / 2};
    struct part right = {part->items + half, part->spare + half, part->count - half,
                         part->threads - part->threads / 2};

    if (part->count <= LEAF) {
        sort_leaf(part->items, part->count);
        return;
    }
    if (part->threads > 1) {
        pthread_t thread = work_start(sort_thread, &left);

        sort(&right);
        pthread_join(thread, NULL);
    } else {
        sort(&left);
        sort(&right);
    }
    merge(part->items, part->spare, half, part->count);
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 2000);
    size_t count = args.scale * 1000;
    uint32_t *items = work_new(count, sizeof *items), *spare = work_new(count, sizeof *spare);
    struct part all = {items, spare, count, args.threads};
    uint64_t seed = 1, sum = 0;

    for (size_t i = 0; i < count; i++)
        items[i] = (uint32_t)work_random(&seed);
    sort(&all);
    for (size_t i = 0; i < count; i++)
        sum = work_mix(sum + items[i]);
    return work_print("sort", sum);
}
