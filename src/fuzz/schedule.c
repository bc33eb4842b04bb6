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

static void make_order(struct sn_schedule *s)
{
    memcpy(s->strategy, "order", 6);
    memcpy(s->points, "sites", 6);
}

void sn_schedule_add_turn(struct sn_schedule *s, uint32_t thread, uint32_t nth, const char *module,
                          uint64_t offset)
{
    make_order(s);
    if ((s->nturns & (s->nturns - 1)) == 0)
        s->turn = sn_xrealloc(s->turn, s->nturns ? 2 * s->nturns : 1, sizeof *s->turn);
    struct sn_turn *t = &s->turn[s->nturns++];
    *t = (struct sn_turn){.thread = thread, .nth = nth};
    if (!nth)
        return;
    t->at = (struct sn_code_site){sn_xstrdup(module), offset};
    sn_schedule_add_site(s, module, offset);
}

void sn_schedule_add_before(struct sn_schedule *s, const struct sn_code_site *first,
                            const struct sn_code_site *then)
{
    make_order(s);
    s->before = sn_xrealloc(s->before, s->nbefores + 1, sizeof *s->before);
    s->before[s->nbefores++] = (struct sn_before){{sn_xstrdup(first->module), first->offset},
                                                  {sn_xstrdup(then->module), then->offset}};
    sn_schedule_add_site(s, first->module, first->offset);
    sn_schedule_add_site(s, then->module, then->offset);
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
    for (size_t i = 0; i < s->nturns; i++)
        free(s->turn[i].at.module);
    for (size_t i = 0; i < s->nbefores; i++) {
        free(s->before[i].first.module);
        free(s->before[i].then.module);
    }
    free(s->site);
    free(s->turn);
    free(s->before);
    free(s->entry);
    free(s->sleeper);
    *s = (struct sn_schedule){0};
}

static int by_event(const void *a, const void *b)
{
    const struct sn_log_entry *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->count == y->count ? 0 : x->count < y->count ? -1 : 1;
}

static void write_entry(FILE *out, const struct sn_log_entry *e)
{
    fprintf(out, "e %u %u %u %u %" PRIx64, e->kind, e->thread, e->count, e->next,
            (uint64_t)SN_FRAME_OFFSET(e->site));
    if (e->process)
        fprintf(out, " %" PRIx32, e->process);
    fputc('\n', out);
}

static void write_entries(FILE *out, const struct sn_schedule *s)
{
    struct sn_log_entry *sorted = sn_xcalloc(s->nentries, sizeof *sorted);
    if (s->nentries)
        memcpy(sorted, s->entry, s->nentries * sizeof *sorted);
    qsort(sorted, s->nentries, sizeof *sorted, by_event);
    for (size_t i = 0; i < s->nentries; i++)
        write_entry(out, &sorted[i]);
    free(sorted);
}

static void write_orders(FILE *out, const struct sn_schedule *s)
{
    for (size_t i = 0; i < s->nturns; i++) {
        const struct sn_turn *t = &s->turn[i];
        if (t->nth)
            fprintf(out, "turn %u %u %s %" PRIx64 "\n", t->thread, t->nth, t->at.module,
                    t->at.offset);
        else
            fprintf(out, "turn %u 0\n", t->thread);
    }
    for (size_t i = 0; i < s->nbefores; i++)
        fprintf(out, "before %s %" PRIx64 " %s %" PRIx64 "\n", s->before[i].first.module,
                s->before[i].first.offset, s->before[i].then.module, s->before[i].then.offset);
}

static void write_search(FILE *out, const struct sn_schedule *s)
{
    if (s->prefix || s->bound)
        fprintf(out, "prefix %zu\nbound %u\n", s->prefix, s->bound);
    for (size_t i = 0; i < s->nsleepers; i++) {
        const struct sn_sleeper *z = &s->sleeper[i];
        fprintf(out, "sleep %u %" PRId64 " %u", z->thread, z->budget, z->nobjects);
        for (uint32_t k = 0; k < z->nobjects && k < SN_CHOICE_OBJECTS; k++)
            fprintf(out, " %" PRIx64 " %u %u", z->object[k].addr, z->object[k].size,
                    z->object[k].write);
        fputc('\n', out);
    }
}

char *sn_schedule_to_text(const struct sn_schedule *s)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    fprintf(out, "strategy %s\npoints %s\n", s->strategy, s->points[0] ? s->points : "sync");
    if (s->stops_after)
        fputs("stops after\n", out);
    if (s->count)
        fputs("count\n", out);
    if (s->tell)
        fputs("tell 1\n", out);
    if (s->depth)
        fprintf(out, "depth %u\n", s->depth);
    if (s->steps)
        fprintf(out, "steps %" PRIu64 "\n", s->steps);
    write_search(out, s);
    for (size_t i = 0; i < s->nsites; i++)
        fprintf(out, "site %s %" PRIx64 "\n", s->site[i].module, s->site[i].offset);
    write_orders(out, s);
    write_entries(out, s);
    fclose(out);
    return sn_xcheck(text);
}

static int read_order(struct sn_schedule *s, const char *line)
{
    char module[256], other[256];
    struct sn_code_site first, then;
    unsigned thread, nth;
    uint64_t offset = 0;
    int n = sscanf(line, "turn %u %u %255s %" SCNx64, &thread, &nth, module, &offset);
    if (n == 4 || (n == 2 && nth == 0)) {
        sn_schedule_add_turn(s, thread, nth, module, offset);
        return 0;
    }
    first.module = module;
    then.module = other;
    if (sscanf(line, "before %255s %" SCNx64 " %255s %" SCNx64, module, &first.offset, other,
               &then.offset) != 4)
        return -EINVAL;
    sn_schedule_add_before(s, &first, &then);
    return 0;
}

static int read_line(struct sn_schedule *s, const char *line)
{
    char module[256];
    uint64_t offset;
    unsigned kind;
    struct sn_log_entry e = {0};
    if (sscanf(line, "strategy %15s", s->strategy) == 1 ||
        sscanf(line, "points %7s", s->points) == 1 || sscanf(line, "depth %u", &s->depth) == 1 ||
        sscanf(line, "steps %" SCNu64, &s->steps) == 1)
        return 0;
    if (strcmp(line, "stops after") == 0) {
        s->stops_after = true;
        return 0;
    }
    if (read_order(s, line) == 0)
        return 0;
    if (sscanf(line, "site %255s %" SCNx64, module, &offset) == 2) {
        sn_schedule_add_site(s, module, offset);
        return 0;
    }
    if (sscanf(line, "e %u %u %u %u %" SCNx64 " %" SCNx32, &kind, &e.thread, &e.count, &e.next,
               &offset, &e.process) < 5)
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
