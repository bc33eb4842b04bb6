/*
 * False sharing: every thread counts in slots of its own that lie in the same cache lines and, for
 * the small ones, in the same 8 bytes; SCALE thousand rounds.
 */
#include "work.h"

static struct {
    uint64_t wide[WORK_THREADS_MAX];
    uint16_t narrow[WORK_THREADS_MAX];
    uint8_t tiny[WORK_THREADS_MAX];
} slots;
static unsigned long scale;

/* The address is hidden from the optimiser, so that every round goes to memory. */
static void count(unsigned self, uint64_t amount)
{
    uint64_t *wide = &slots.wide[self];
    uint16_t *narrow = &slots.narrow[self];
    uint8_t *tiny = &slots.tiny[self];

    __asm__("" : "+r"(wide), "+r"(narrow), "+r"(tiny));
    *wide += amount;
    *narrow += (uint16_t)amount;
    *tiny += (uint8_t)(*narrow >> 3);
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;

    for (unsigned long i = 0; i < scale * 1000; i++)
        count(self, i & 0xff);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 4000);
    uint64_t sum = 0;

    scale = args.scale;
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + slots.wide[i] + slots.narrow[i] * 3u + slots.tiny[i]);
    return work_print("slots", sum);
}
