/* sites.c: a hash table over the positions of a trace's sites, filled as the table grows. */
#include "predict/sites.h"

#include <string.h>

#include "store/xalloc.h"

struct sn_sites {
    const struct sn_trace *trace;
    uint32_t *key; /* by site */
    uint32_t n, cap;
    uint32_t *slot; /* hash -> site */
    uint32_t cap_slots;
};

struct sn_sites *sn_sites_new(const struct sn_trace *t)
{
    struct sn_sites *s = sn_xcalloc(1, sizeof *s);
    s->trace = t;
    return s;
}

void sn_sites_free(struct sn_sites *s)
{
    if (!s)
        return;
    free(s->key);
    free(s->slot);
    free(s);
}

static uint64_t hash(const struct sn_trace_site *x)
{
    uint64_t h = x->offset * 31 + x->module;
    for (const char *p = x->where; p && *p; p++)
        h = (h ^ (uint8_t)*p) * 1099511628211ull;
    return h * 0x9e3779b97f4a7c15ull;
}

static bool same(const struct sn_trace_site *a, const struct sn_trace_site *b)
{
    return a->module == b->module && a->offset == b->offset && !a->where == !b->where &&
           (!a->where || strcmp(a->where, b->where) == 0);
}

/* The first site with the position of `site`. */
static uint32_t first_of(struct sn_sites *s, uint32_t site)
{
    const struct sn_trace_site *x = sn_trace_site(s->trace, site);
    uint32_t i = (uint32_t)(hash(x) >> 32) & (s->cap_slots - 1);
    for (; s->slot[i]; i = (i + 1) & (s->cap_slots - 1))
        if (same(x, sn_trace_site(s->trace, s->slot[i])))
            return s->slot[i];
    s->slot[i] = site;
    return site;
}

static void grow(struct sn_sites *s, uint32_t want)
{
    s->cap = s->cap ? s->cap : 256;
    while (s->cap <= want)
        s->cap *= 2;
    s->cap_slots = 2 * s->cap;
    s->key = sn_xrealloc(s->key, s->cap, sizeof *s->key);
    free(s->slot);
    s->slot = sn_xcalloc(s->cap_slots, sizeof *s->slot);
    for (uint32_t i = 1; i <= s->n; i++)
        first_of(s, i);
}

uint32_t sn_sites_key(struct sn_sites *s, uint32_t site)
{
    if (site == 0 || site > sn_trace_sites(s->trace))
        return 0;
    if (site >= s->cap)
        grow(s, site);
    while (s->n < site) {
        s->n++;
        s->key[s->n] = first_of(s, s->n);
    }
    return s->key[site];
}
