/* program.c: see program.h. */
#include "check/program.h"

#include "store/xalloc.h"

static bool has(const struct sn_words *w, const char *name)
{
    for (size_t k = 0; k < w->n; k++)
        if (strcmp(w->v[k], name) == 0)
            return true;
    return false;
}

/* Length of the common beginning of two paths, in whole folders. */
static size_t common_path(const char *a, const char *b)
{
    size_t n = 0, last = 0;
    for (; a[n] && a[n] == b[n]; n++)
        if (a[n] == '/')
            last = n + 1;
    return last;
}

/* Of several units that define a symbol, the one that is built nearest to the program: CMake puts the
 * objects of one target into one folder. */
static size_t nearness(const struct sn_source *a, const struct sn_source *b)
{
    size_t n = common_path(a->file, b->file);
    if (a->output != NULL && b->output != NULL)
        n += 1000 * common_path(a->output, b->output);
    return n;
}

/* name -> units that define it: sorted pairs. */
struct definition {
    const char *name;
    size_t unit;
};

struct definitions {
    struct definition *d;
    size_t n, cap;
};

static int by_name(const void *a, const void *b)
{
    const struct definition *x = a, *y = b;
    int r = strcmp(x->name, y->name);
    return r ? r : (x->unit > y->unit) - (x->unit < y->unit);
}

static void collect(const struct sn_sources *units, const struct sn_symbols *symbols, struct definitions *all)
{
    for (size_t i = 0; i < units->n; i++) {
        for (size_t k = 0; k < symbols[i].defined.n; k++) {
            all->d = sn_xgrow(all->d, all->n, &all->cap, sizeof *all->d);
            all->d[all->n++] = (struct definition){symbols[i].defined.v[k], i};
        }
    }
    if (all->n > 0)
        qsort(all->d, all->n, sizeof *all->d, by_name);
}

static size_t first_definition(const struct definitions *all, const char *name)
{
    size_t lo = 0, hi = all->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (strcmp(all->d[mid].name, name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct linking {
    const struct sn_sources *units;
    const struct sn_symbols *symbols;
    const struct definitions *all;
    bool *taken; /* by this program */
};

/* The unit that gives the program this symbol, or units->n. */
static size_t provider(const struct linking *l, const char *name, size_t program)
{
    size_t best = l->units->n, near = 0;
    for (size_t k = first_definition(l->all, name); k < l->all->n && strcmp(l->all->d[k].name, name) == 0; k++) {
        size_t unit = l->all->d[k].unit;
        if (l->taken[unit])
            return l->units->n;
        if (has(&l->symbols[unit].defined, "main"))
            continue; /* another program's own */
        size_t n = nearness(&l->units->u[unit], &l->units->u[program]);
        if (best == l->units->n || n > near) {
            best = unit;
            near = n;
        }
    }
    return best;
}

static void take(struct sn_program *p, struct linking *l, size_t unit)
{
    p->unit = sn_xrealloc(p->unit, p->n + 1, sizeof *p->unit);
    p->unit[p->n++] = unit;
    l->taken[unit] = true;
}

static void link_program(struct sn_program *p, struct linking *l, size_t main_unit)
{
    take(p, l, main_unit);
    for (size_t i = 0; i < p->n; i++) {
        const struct sn_words *needed = &l->symbols[p->unit[i]].needed;
        for (size_t k = 0; k < needed->n; k++) {
            size_t unit = provider(l, needed->v[k], main_unit);
            if (unit != l->units->n)
                take(p, l, unit);
        }
    }
}

static struct sn_program *new_program(struct sn_programs *out, const char *name)
{
    out->p = sn_xrealloc(out->p, out->n + 1, sizeof *out->p);
    out->p[out->n] = (struct sn_program){.name = sn_xstrdup(name)};
    return &out->p[out->n++];
}

void sn_programs_find(const struct sn_sources *units, const struct sn_symbols *symbols, struct sn_programs *out)
{
    struct definitions all = {0};
    bool *used = sn_xcalloc(units->n, sizeof *used);
    struct linking l = {units, symbols, &all, NULL};
    *out = (struct sn_programs){0};
    collect(units, symbols, &all);
    for (size_t i = 0; i < units->n; i++) {
        if (!has(&symbols[i].defined, "main"))
            continue;
        l.taken = sn_xcalloc(units->n, sizeof *l.taken);
        link_program(new_program(out, units->u[i].file), &l, i);
        for (size_t k = 0; k < units->n; k++)
            used[k] |= l.taken[k];
        free(l.taken);
    }
    l.taken = used; /* the rest is a library */
    struct sn_program *library = NULL;
    for (size_t i = 0; i < units->n; i++) {
        if (used[i] || units->u[i].bitcode == NULL)
            continue;
        if (library == NULL)
            library = new_program(out, "library");
        take(library, &l, i);
    }
    free(all.d);
    free(used);
}

void sn_programs_free(struct sn_programs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->p[i].name);
        free(p->p[i].unit);
    }
    free(p->p);
    *p = (struct sn_programs){0};
}
