/* tables.c: sites, modules, names and expectations of a trace, in arrays that grow. */
#include "trace/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int grow(void *array, uint32_t n, uint32_t *cap, size_t element)
{
    void **p = array;
    if (n < *cap)
        return 0;
    uint32_t want = *cap ? *cap * 2 : 64;
    void *grown = realloc(*p, want * element);
    if (!grown)
        return -ENOMEM;
    *p = grown;
    *cap = want;
    return 0;
}

int sn_tables_site(struct sn_trace_tables *t, uint32_t number, const struct sn_trace_site *s,
                   const char *where, size_t bytes)
{
    if (number != t->nsites + 1 || s->parent > t->nsites)
        return -EINVAL;
    if (grow(&t->site, number, &t->cap_sites, sizeof *t->site))
        return -ENOMEM;
    struct sn_trace_site copy = *s;
    copy.where = bytes ? strndup(where, bytes) : NULL;
    if (bytes && !copy.where)
        return -ENOMEM;
    t->site[number] = copy;
    t->nsites = number;
    return 0;
}

int sn_tables_module(struct sn_trace_tables *t, uint32_t number, const struct sn_trace_module *m,
                     const char *path, size_t bytes)
{
    if (number != t->nmodules)
        return -EINVAL;
    if (grow(&t->module, number, &t->cap_modules, sizeof *t->module))
        return -ENOMEM;
    struct sn_trace_module copy = *m;
    copy.path = strndup(path, bytes);
    if (!copy.path)
        return -ENOMEM;
    t->module[t->nmodules++] = copy;
    return 0;
}

/* Index of the first name above `addr`. */
static uint32_t above(const struct sn_trace_tables *t, uint64_t addr)
{
    uint32_t low = 0, high = t->nnames;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (t->name[mid].addr <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int sn_tables_name(struct sn_trace_tables *t, uint64_t addr, uint64_t size, const char *name,
                   size_t bytes)
{
    if (grow(&t->name, t->nnames, &t->cap_names, sizeof *t->name))
        return -ENOMEM;
    char *copy = strndup(name, bytes);
    if (!copy)
        return -ENOMEM;
    uint32_t at = above(t, addr);
    memmove(t->name + at + 1, t->name + at, (t->nnames - at) * sizeof *t->name);
    t->name[at] = (struct sn_trace_name){copy, addr, size};
    t->nnames++;
    return 0;
}

int sn_tables_expect(struct sn_trace_tables *t, const char *line)
{
    if (grow(&t->expect, t->nexpects, &t->cap_expects, sizeof *t->expect))
        return -ENOMEM;
    char *copy = strdup(line);
    if (!copy)
        return -ENOMEM;
    t->expect[t->nexpects++] = copy;
    return 0;
}

const struct sn_trace_name *sn_tables_name_at(const struct sn_trace_tables *t, uint64_t addr)
{
    uint32_t at = above(t, addr);
    if (at == 0)
        return NULL;
    const struct sn_trace_name *n = &t->name[at - 1];
    return addr - n->addr < n->size || addr == n->addr ? n : NULL;
}

void sn_tables_free(struct sn_trace_tables *t)
{
    for (uint32_t i = 1; i <= t->nsites; i++)
        free(t->site[i].where);
    for (uint32_t i = 0; i < t->nmodules; i++)
        free(t->module[i].path);
    for (uint32_t i = 0; i < t->nnames; i++)
        free(t->name[i].name);
    for (uint32_t i = 0; i < t->nexpects; i++)
        free(t->expect[i]);
    free(t->site);
    free(t->module);
    free(t->name);
    free(t->expect);
    memset(t, 0, sizeof *t);
}
