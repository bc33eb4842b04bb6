/* relocate.c: see relocate.h. */
#include "fuzz/relocate.h"

#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "fuzz/asked.h"
#include "store/xalloc.h"
#include "symbol/symbol.h"

enum { TRIES = 6, MAX_PLACES = 100000 };

static const char *base(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static bool is_known(const struct sn_places *all, const struct sn_seen *s)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->p[i].seen.site == s->site && all->p[i].seen.op == s->op)
            return true;
    return false;
}

/* The same executable has the same module numbers in every execution. */
static void take(struct sn_places *all, struct sn_symboliser *sy, const struct sn_execution *e)
{
    for (size_t i = 0; i < e->nseen && all->n < MAX_PLACES; i++) {
        unsigned m = SN_FRAME_MODULE(e->seen[i].site), module;
        if (m >= e->nmodules || !e->module[m] || is_known(all, &e->seen[i]) ||
            sn_symbol_module(sy, e->module[m], NULL, 0, &module) < 0)
            continue;
        all->p = sn_xgrow(all->p, all->n, &all->cap, sizeof *all->p);
        struct sn_place *p = &all->p[all->n++];
        *p = (struct sn_place){.seen = e->seen[i]};
        sn_symbol_code(sy, module, SN_FRAME_OFFSET(e->seen[i].site), true, &p->stack);
    }
}

static bool is_write(uint32_t op)
{
    return op == SN_EV_WRITE || op == SN_EV_ATOMIC_STORE || op == SN_EV_ATOMIC_RMW;
}

static bool same_operation(enum sn_op op, uint32_t seen)
{
    switch (op) {
    case SN_OP_READ:
        return seen == SN_EV_READ || seen == SN_EV_ATOMIC_LOAD;
    case SN_OP_WRITE:
        return is_write(seen);
    case SN_OP_ATOMIC:
        return seen >= SN_EV_ATOMIC_LOAD && seen <= SN_EV_ATOMIC_RMW;
    case SN_OP_FREE:
        return seen == SN_EV_FREE;
    case SN_OP_LOCK:
        return seen == SN_EV_LOCK || seen == SN_EV_RDLOCK;
    default:
        return true;
    }
}

/* 0: another place. */
static int likeness(const struct sn_frame *want, enum sn_op op, const struct sn_place *p)
{
    for (size_t i = 0; i < p->stack.n; i++) {
        const struct sn_frame *f = &p->stack.frame[i];
        if (!f->file || f->line != want->line || strcmp(base(f->file), base(want->file)) != 0)
            continue;
        return 1 + 4 * same_operation(op, p->seen.op) + (f->column == want->column) +
               (f->function && want->function && strcmp(f->function, want->function) == 0);
    }
    return 0;
}

static bool relocate_site(struct sn_site *s, const struct sn_places *all)
{
    const struct sn_frame *want = sn_site_frame(s);
    const struct sn_place *best = NULL;
    int most = 4; /* at least the operation must be the same */
    for (size_t i = 0; want && want->file && want->line && i < all->n; i++) {
        int n = likeness(want, s->op, &all->p[i]);
        if (n > most) {
            most = n;
            best = &all->p[i];
        }
    }
    if (!best)
        return false;
    sn_stack_clear(&s->stack);
    sn_stack_copy(&s->stack, &best->stack);
    return true;
}

static bool relocate(struct sn_finding *f, const struct sn_places *all)
{
    for (size_t i = 0; i < f->nsites; i++)
        if (!relocate_site(&f->sites[i], all))
            return false;
    free(f->key);
    free(f->title);
    f->key = f->title = NULL;
    sn_finding_finish(f);
    return f->nsites != 0;
}

int sn_places_collect(struct sn_runner *r, struct sn_places *out)
{
    struct sn_schedule s = {.strategy = "random", .points = "seen"};
    struct sn_symboliser *sy = sn_symboliser_new();
    int status = 0;
    for (; s.seed < TRIES && !status && !sn_asked(); s.seed++) {
        struct sn_execution e;
        status = sn_execute(r, &s, &e);
        if (!status)
            take(out, sy, &e);
        sn_execution_clear(&e);
    }
    sn_symboliser_free(sy);
    return status;
}

void sn_places_clear(struct sn_places *all)
{
    for (size_t i = 0; i < all->n; i++)
        sn_stack_clear(&all->p[i].stack);
    free(all->p);
    *all = (struct sn_places){0};
}

int sn_relocate(struct sn_runner *r, struct sn_findings *all)
{
    struct sn_places places = {0};
    int status = all->n ? sn_places_collect(r, &places) : 0;
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++) {
        struct sn_finding f = all->f[i];
        if (relocate(&f, &places))
            all->f[kept++] = f;
        else
            sn_finding_clear(&f);
    }
    all->n = kept;
    sn_places_clear(&places);
    return status;
}
