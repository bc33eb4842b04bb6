/*
 * finding_sample.h: findings for unit tests, built field by field as engines build them.
 */
#ifndef SN_STORE_FINDING_SAMPLE_H
#define SN_STORE_FINDING_SAMPLE_H

#include "store/finding.h"
#include "store/xalloc.h"

static inline void sample_frame(struct sn_stack *s, const char *function, const char *file,
                                int line, int column)
{
    s->frame = sn_xrealloc(s->frame, s->n + 1, sizeof *s->frame);
    s->frame[s->n++] = (struct sn_frame){.function = sn_xstrdup(function),
                                         .file = sn_xstrdup(file),
                                         .line = line,
                                         .column = column,
                                         .module = sn_xstrdup("prog"),
                                         .offset = 0x1000u + (unsigned)line};
}

static inline struct sn_site *sample_site(struct sn_finding *f, int64_t thread, enum sn_op op,
                                          const char *function, const char *file, int line,
                                          int column)
{
    f->sites = sn_xrealloc(f->sites, f->nsites + 1, sizeof *f->sites);
    struct sn_site *s = &f->sites[f->nsites++];
    *s = (struct sn_site){.thread = thread, .op = op, .creator = -1};
    sample_frame(&s->stack, function, file, line, column);
    return s;
}

static inline void sample_lock(struct sn_site *s, const char *name)
{
    s->locks_known = true;
    s->locks = sn_xrealloc(s->locks, s->nlocks + 1, sizeof *s->locks);
    s->locks[s->nlocks++] = (struct sn_held_lock){.name = sn_xstrdup(name)};
}

/* The race of CLI.md: add() writes, report() reads `counter`. */
static inline struct sn_finding *sample_race(struct sn_findings *all)
{
    struct sn_finding *f = sn_findings_add(all);
    f->kind = SN_KIND_DATA_RACE;
    f->status = SN_OBSERVED;
    f->engine = sn_xstrdup("race");
    f->hits = 1;
    f->object.kind = SN_OBJ_GLOBAL;
    f->object.name = sn_xstrdup("counter");
    f->object.size = 4;
    f->object.file = sn_xstrdup("/src/bank.c");
    f->object.line = 7;
    struct sn_site *s = sample_site(f, 1, SN_OP_WRITE, "add", "/src/bank.c", 12, 3);
    s->size = 4;
    sample_lock(s, "m");
    sample_frame(&s->stack, "worker", "/src/bank.c", 30, 5);
    s = sample_site(f, 2, SN_OP_READ, "report", "/src/bank.c", 20, 10);
    s->size = 4;
    s->locks_known = true;
    return f;
}

/* A race at a line of its own: every number is another finding. */
static inline struct sn_finding *sample_numbered(struct sn_findings *all, int number)
{
    struct sn_finding *f = sample_race(all);
    f->sites[0].stack.frame[0].line = 1000 + number;
    sn_finding_finish(f);
    return f;
}

/* thread holds `from` and wants `to` in `function`. */
static inline void sample_edge(struct sn_finding *f, int64_t thread, const char *function, int line,
                               const char *from, const char *to)
{
    struct sn_site *s = sample_site(f, thread, SN_OP_LOCK, function, "/src/bank.c", line, 1);
    sample_lock(s, from);
    s->wants = sn_xstrdup(to);
}

#endif
