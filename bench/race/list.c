/*
 * Pointer chasing, written: each thread owns a linked list of SCALE nodes in shuffled order, walks
 * it many times, counts in every node and moves the head to the tail.
 */
#include "work.h"

#define WALKS 240

struct node {
    struct node *next;
    uint32_t visits;
    uint16_t tag;
};

static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static struct node *shuffled(struct node *nodes, uint64_t seed)
{
    uint32_t *order = work_new(scale, sizeof *order);
    struct node *head;

    for (unsigned long i = 0; i < scale; i++) {
        unsigned long other = work_random(&seed) % (i + 1);

        order[i] = order[other];
        order[other] = (uint32_t)i;
    }
    for (unsigned long i = 0; i < scale; i++) {
        nodes[order[i]].next = i + 1 < scale ? &nodes[order[i + 1]] : NULL;
        nodes[order[i]].tag = (uint16_t)i;
    }
    head = &nodes[order[0]];
    free(order);
    return head;
}

static struct node *walk(struct node *head, uint64_t *sum)
{
    struct node *last = head, *first = head->next ? head->next : head;

    for (struct node *at = head; at; at = at->next) {
        at->visits++;
        *sum += at->tag * (uint64_t)at->visits;
        last = at;
    }
    if (last == head)
        return head;
    last->next = head;
    head->next = NULL;
    return first;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    struct node *nodes = work_new(scale, sizeof *nodes);
    struct node *head = shuffled(nodes, self + 1);
    uint64_t sum = 0;

    for (int i = 0; i < WALKS; i++)
        head = walk(head, &sum);
    sums[self] = sum;
    free(nodes);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 40000);
    uint64_t sum = 0;

    scale = args.scale;
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("list", sum);
}
