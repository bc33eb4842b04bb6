/* schedule.c: schedules and their text, see schedule.h. */
#include "fuzz/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runfile.h"
#include "store/xalloc.h"

void sn_schedule_add_site(struct sn_schedule *s, const char *module, uint64_t offset)
{
    for (size_t i = 0; i < s->nsites; i++)
        if (s->site[i].offset == offset && strcmp(s->site[i].module, module) == 0)
            return;
    s->site = sn_xrealloc(s->site, s->nsites + 1, sizeof *s->site);
    s->site[s->nsites++] = (struct sn_code_site){sn_xstrdup(module), offset};
}

static void add_entry(struct sn_schedule *s, const struct sn_log_entry *e)
{
    if ((s->nentries & (s->nentries - 1)) == 0)
        s->entry = sn_xrealloc(s->entry, s->nentries ? 2 * s->nentries : 1, sizeof *s->entry);
    s->entry[s->nentries++] = *e;
}

struct sn_schedule sn_schedule_replay(const struct sn_schedule *like,
                                      const struct sn_log_entry *entry, size_t n)
{
    struct sn_schedule s = {.strategy = "replay", .seed = like->seed};
    memcpy(s.points, like->points, sizeof s.points);
    for (size_t i = 0; i < like->nsites; i++)
        sn_schedule_add_site(&s, like->site[i].module, like->site[i].offset);
    for (size_t i = 0; i < n; i++)
        add_entry(&s, &entry[i]);
    return s;
}

void sn_schedule_clear(struct sn_schedule *s)
{
    for (size_t i = 0; i < s->nsites; i++)
        free(s->site[i].module);
    free(s->site);
    free(s->entry);
    *s = (struct sn_schedule){0};
}

static int by_event(const void *a, const void *b)
{
    const struct sn_log_entry *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->count == y->count ? 0 : x->count < y->count ? -1 : 1;
}

static void write_entries(FILE *out, const struct sn_schedule *s)
{
    struct sn_log_entry *sorted = sn_xcalloc(s->nentries, sizeof *sorted);
    if (s->nentries)
        memcpy(sorted, s->entry, s->nentries * sizeof *sorted);
    qsort(sorted, s->nentries, sizeof *sorted, by_event);
    for (size_t i = 0; i < s->nentries; i++)
        fprintf(out, "e %u %u %u %u %" PRIx64 "\n", sorted[i].kind, sorted[i].thread,
                sorted[i].count, sorted[i].next, (uint64_t)SN_FRAME_OFFSET(sorted[i].site));
    free(sorted);
}

char *sn_schedule_to_text(const struct sn_schedule *s)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    fprintf(out, "strategy %s\npoints %s\n", s->strategy, s->points[0] ? s->points : "sync");
    if (s->tell)
        fputs("tell 1\n", out);
    if (s->depth)
        fprintf(out, "depth %u\n", s->depth);
    if (s->steps)
        fprintf(out, "steps %" PRIu64 "\n", s->steps);
    for (size_t i = 0; i < s->nsites; i++)
        fprintf(out, "site %s %" PRIx64 "\n", s->site[i].module, s->site[i].offset);
    write_entries(out, s);
    fclose(out);
    return sn_xcheck(text);
}

static int read_line(struct sn_schedule *s, const char *line)
{
    char module[256];
    uint64_t offset;
    unsigned kind;
    struct sn_log_entry e = {0};
    if (sscanf(line, "strategy %15s", s->strategy) == 1 || sscanf(line, "points %7s", s->points) == 1 ||
        sscanf(line, "depth %u", &s->depth) == 1 || sscanf(line, "steps %" SCNu64, &s->steps) == 1)
        return 0;
    if (sscanf(line, "site %255s %" SCNx64, module, &offset) == 2) {
        sn_schedule_add_site(s, module, offset);
        return 0;
    }
    if (sscanf(line, "e %u %u %u %u %" SCNx64, &kind, &e.thread, &e.count, &e.next, &offset) != 5)
        return -EINVAL;
    e.kind = (uint8_t)kind;
    e.site = offset;
    add_entry(s, &e);
    return 0;
}

int sn_schedule_from_text(const char *text, struct sn_schedule *s)
{
    char *copy = sn_xstrdup(text), *rest = copy;
    int r = 0;
    for (char *line; r == 0 && (line = strsep(&rest, "\n"));)
        if (*line)
            r = read_line(s, line);
    free(copy);
    return r;
}

size_t sn_schedule_preemptions(const struct sn_schedule *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->nentries; i++)
        n += s->entry[i].kind == SN_LOG_PREEMPT;
    return n;
}
