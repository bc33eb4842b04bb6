/* pair.c: see pair.h. */
#include "fuzz/pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "fuzz/asked.h"
#include "store/xalloc.h"
#include "symbol/symbol.h"

enum { TRIES = 20 }; /* a statement may need a certain schedule to be reached */

static const char *base(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static int parse(const char *text, struct sn_position p[2])
{
    return sscanf(text, "%255[^:]:%d,%255[^:]:%d", p[0].file, &p[0].line, p[1].file, &p[1].line) ==
                   4
               ? 0
               : -EINVAL;
}

static bool is_there(const struct sn_stack *s, const struct sn_position *p)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->frame[i].line == p->line && s->frame[i].file &&
            strcmp(base(s->frame[i].file), base(p->file)) == 0)
            return true;
    return false;
}

/* The first code position that ran at p. */
static bool find(const struct sn_execution *e, struct sn_symboliser *sy,
                 const struct sn_position *p, struct sn_site *out)
{
    for (size_t i = 0; i < e->nseen; i++) {
        unsigned m = SN_FRAME_MODULE(e->seen[i].site), module;
        struct sn_stack stack = {0};
        if (m >= e->nmodules || !e->module[m] ||
            sn_symbol_module(sy, e->module[m], NULL, 0, &module) < 0)
            continue;
        sn_symbol_code(sy, module, SN_FRAME_OFFSET(e->seen[i].site), true, &stack);
        if (is_there(&stack, p)) {
            *out = (struct sn_site){.thread = -1, .creator = -1, .stack = stack};
            return true;
        }
        sn_stack_clear(&stack);
    }
    return false;
}

static size_t match(const struct sn_execution *e, const struct sn_position *p, size_t n,
                    struct sn_site *site)
{
    struct sn_symboliser *sy = sn_symboliser_new();
    size_t missing = 0;
    for (size_t i = 0; i < n; i++)
        missing += !site[i].stack.n && !find(e, sy, &p[i], &site[i]);
    sn_symboliser_free(sy);
    return missing;
}

int sn_pair_resolve(struct sn_runner *r, const struct sn_position *p, size_t n,
                    struct sn_site *site, char **why)
{
    struct sn_schedule s = {.strategy = "random", .points = "seen"};
    int status = 0;
    size_t missing = n;
    for (; s.seed < TRIES && !status && missing && !sn_asked(); s.seed++) {
        struct sn_execution e;
        status = sn_execute(r, &s, &e);
        if (!status)
            missing = match(&e, p, n, site);
        sn_execution_clear(&e);
    }
    if (!status && missing && sn_asked())
        return 128 + sn_asked();
    for (size_t i = 0; i < n && !status; i++)
        if (!site[i].stack.n) {
            *why = sn_xformat("nothing that snag sees was executed at %s:%d", p[i].file, p[i].line);
            status = SN_EXIT_FAILED;
        }
    return status;
}

int sn_pair_find(struct sn_runner *r, const char *text, struct sn_finding *f, char **why)
{
    struct sn_position p[2];
    if (parse(text, p) < 0) {
        *why = sn_xformat("--pair %s: two places are wanted, FILE:LINE,FILE:LINE", text);
        return SN_EXIT_FAILED;
    }
    *f = (struct sn_finding){.kind = SN_KIND_DATA_RACE, .status = SN_CANDIDATE, .harmful = -1};
    f->engine = sn_xstrdup("fuzz");
    f->sites = sn_xcalloc(2, sizeof *f->sites);
    f->nsites = 2;
    int status = sn_pair_resolve(r, p, 2, f->sites, why);
    if (status)
        sn_finding_clear(f);
    else
        sn_finding_finish(f);
    return status;
}

static bool same_place(const struct sn_frame *a, const struct sn_frame *b)
{
    return a->line && a->line == b->line && a->column == b->column && a->function && b->function &&
           strcmp(a->function, b->function) == 0 && a->file && b->file &&
           strcmp(a->file, b->file) == 0;
}

static bool is_same(struct sn_symboliser *sy, unsigned module, const struct sn_frame *f)
{
    struct sn_stack stack = {0};
    sn_symbol_code(sy, module, f->offset, true, &stack);
    bool same = stack.n && same_place(&stack.frame[0], f);
    sn_stack_clear(&stack);
    return same;
}

bool sn_pair_is_current(const struct sn_finding *f, const char *program)
{
    struct sn_symboliser *sy = sn_symboliser_new();
    unsigned module;
    bool same = f->nsites && sn_symbol_module(sy, program, NULL, 0, &module) == 0;
    for (size_t i = 0; i < f->nsites && same; i++) {
        const struct sn_stack *s = &f->sites[i].stack;
        same = s->n && s->frame[0].module && strcmp(s->frame[0].module, base(program)) == 0 &&
               is_same(sy, module, &s->frame[0]);
    }
    sn_symboliser_free(sy);
    return same;
}
