/*
 * Strings: each thread makes a text of SCALE thousand words, cuts it with string functions and
 * counts the words in a small open-addressing table of its own.
 */
#include <string.h>
#include "work.h"

#define TABLE 4096

static const char *const stems[] = {"snow", "river", "stone", "wind",  "ember", "field",
                                    "moss", "cloud", "birch", "heron", "tide",  "fox"};

struct entry {
    char word[20];
    uint32_t count;
};

static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static char *make_text(uint64_t seed)
{
    char *text = work_new(scale * 1000, 16), *end = text;

    for (unsigned long i = 0; i < scale * 1000; i++) {
        uint64_t random = work_random(&seed);

        end = stpcpy(end, stems[random % 12]);
        end = stpcpy(end, stems[(random >> 8) % 12]);
        *end++ = (char)('a' + (random >> 16) % 16);
        *end++ = ' ';
    }
    *end = 0;
    return text;
}

static uint32_t hash(const char *word)
{
    uint32_t value = 2166136261u;

    for (; *word; word++)
        value = (value ^ (unsigned char)*word) * 16777619u;
    return value;
}

static void count(struct entry *table, const char *word)
{
    uint32_t at = hash(word) % TABLE;

    while (table[at].count && strcmp(table[at].word, word) != 0)
        at = (at + 1) % TABLE;
    if (!table[at].count)
        strncpy(table[at].word, word, sizeof table[at].word - 1);
    table[at].count++;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    struct entry *table = work_new(TABLE, sizeof *table);
    char *text = make_text(self + 1), *at = text, *space;
    uint64_t sum = 0;

    while ((space = strchr(at, ' '))) {
        *space = 0;
        count(table, at);
        at = space + 1;
    }
    for (int i = 0; i < TABLE; i++)
        sum += table[i].count ? work_mix(hash(table[i].word)) * table[i].count : 0;
    sums[self] = sum;
    free(text);
    free(table);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 400);
    uint64_t sum = 0;

    scale = args.scale;
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("words", sum);
}
