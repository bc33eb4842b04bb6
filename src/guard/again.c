/*
 * again.c: places in a program that was compiled anew from the same sources. The compiler may have
 * cut, cloned or inlined functions in another way, so that places have other names; but their lines
 * and columns in the source are the same. What is found by its name nowhere is looked for
 *
 * - in the function that it was in, if there are as many calls with that position as there were;
 * - in the function of the source that it was inlined from: it may not be inlined any more. There
 * it may have become one with another place, which has all of its orders then;
 * - everywhere, if there was only one call with that position: it may be inlined in many places
 * now.
 */
#include <stdlib.h>

#include "guard/invariants.h"
#include "store/xalloc.h"

struct entry {
    uint64_t source; /* hash of the position */
    size_t call;
};

struct sources {
    struct entry *v; /* sorted */
    size_t n;
};

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->source < y->source ? -1 : x->source > y->source;
}

static int compare_all(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int by_source = compare(a, b);
    return by_source ? by_source : x->call < y->call ? -1 : x->call > y->call;
}

static struct sources list_sources(struct sn_keys *k, int module, enum sn_keys_where where)
{
    const struct sn_calls *calls = sn_keys_calls(k, module);
    struct sources s = {sn_xcalloc(calls->n + 1, sizeof *s.v), 0};
    for (size_t i = 0; i < calls->n; i++) {
        char *source = sn_keys_source(k, module, &calls->call[i], where);
        if (source)
            s.v[s.n++] = (struct entry){sn_keys_hash(source), i};
        free(source);
    }
    qsort(s.v, s.n, sizeof *s.v, compare_all);
    return s;
}

/* All calls there, in the order of the code. */
static const struct entry *find(const struct sources *s, uint64_t source, size_t *n)
{
    struct entry key = {source, 0};
    const struct entry *e = s->n ? bsearch(&key, s->v, s->n, sizeof *s->v, compare) : NULL;
    *n = 0;
    while (e && e > s->v && e[-1].source == source)
        e--;
    while (e && e + *n < s->v + s->n && e[*n].source == source)
        ++*n;
    return e;
}

static void add_copy(struct sn_inv *v, uint32_t place, uint64_t returns)
{
    v->copy = sn_xgrow(v->copy, v->ncopies, &v->copy_cap, sizeof *v->copy);
    v->copy[v->ncopies++] = (struct sn_inv_copy){place, returns};
}

struct search {
    struct sn_inv *v;
    const struct sn_inv *was;
    int module, old;
    struct sources before, now;
};

static struct search search(struct sn_inv *v, int module, const struct sn_inv *was, int old,
                            enum sn_keys_where where)
{
    return (struct search){.v = v,
                           .was = was,
                           .module = module,
                           .old = old,
                           .before = list_sources(was->keys, old, where),
                           .now = list_sources(v->keys, module, where)};
}

static void end(struct search *s)
{
    free(s->before.v);
    free(s->now.v);
}

static const struct sn_call_site *old_call(const struct search *s, const struct entry *e)
{
    return &sn_keys_calls(s->was->keys, s->old)->call[e->call];
}

/* The place of an old call, if it is known and found nowhere; 0: it is not. */
static uint32_t lost_place(const struct search *s, const struct entry *e)
{
    uint32_t p;
    bool known = sn_inv_known(s->v, sn_keys_of(s->was->keys, s->old, old_call(s, e)->returns), &p);
    return known && s->v->place[p].module < 0 && !s->v->place[p].same ? p : 0;
}

/* The place that is at a new call; 0: none. */
static uint32_t place_at(const struct search *s, const struct entry *e)
{
    uint64_t returns = sn_keys_calls(s->v->keys, s->module)->call[e->call].returns;
    for (uint32_t i = 1; i < s->v->n; i++)
        if (s->v->place[i].module == s->module && s->v->place[i].returns == returns)
            return i;
    return 0;
}

static void put(const struct search *s, uint32_t place, const struct entry *e)
{
    uint64_t returns = sn_keys_calls(s->v->keys, s->module)->call[e->call].returns;
    if (s->v->place[place].module >= 0) {
        add_copy(s->v, place, returns);
        return;
    }
    s->v->place[place].module = s->module;
    s->v->place[place].returns = returns;
}

static void one_for_one(const struct search *s, const struct entry *old, const struct entry *now,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t p = lost_place(s, &old[i]), there = place_at(s, &now[i]);
        if (p && there)
            s->v->place[p].same = there;
        else if (p)
            put(s, p, &now[i]);
    }
}

static void find_in_code(struct search *s)
{
    size_t n, nold;
    for (size_t i = 0; i < s->before.n; i += nold) {
        const struct entry *old = find(&s->before, s->before.v[i].source, &nold);
        const struct entry *now = find(&s->now, s->before.v[i].source, &n);
        if (n == nold)
            one_for_one(s, old, now, n);
    }
}

static void find_in_source(struct search *s)
{
    size_t n, nold;
    for (size_t i = 0; i < s->before.n; i += nold) {
        const struct entry *old = find(&s->before, s->before.v[i].source, &nold);
        char *source = sn_keys_source(s->was->keys, s->old, old_call(s, old), SN_KEYS_IN_SOURCE);
        const struct entry *now = source ? find(&s->now, sn_keys_hash(source), &n) : NULL;
        if (now && n == nold)
            one_for_one(s, old, now, n);
        free(source);
    }
}

static void find_everywhere(struct search *s)
{
    size_t n, nold;
    for (size_t i = 0; i < s->before.n; i += nold) {
        const struct entry *old = find(&s->before, s->before.v[i].source, &nold);
        const struct entry *now = find(&s->now, s->before.v[i].source, &n);
        uint32_t p = nold == 1 ? lost_place(s, old) : 0;
        for (size_t k = 0; k < n && p; k++)
            if (!place_at(s, &now[k]))
                put(s, p, &now[k]);
    }
}

static uint32_t same_as(const struct sn_inv *v, uint32_t place)
{
    return v->place[place].same ? v->place[place].same : place;
}

static void unite(struct sn_inv *v)
{
    size_t n = v->npairs;
    for (size_t i = 0; i < n; i++) {
        struct sn_inv_pair p = v->pair[i];
        uint32_t site = same_as(v, p.site), pred = same_as(v, p.pred);
        if (site != p.site || pred != p.pred)
            sn_inv_add(v, site, pred, (enum sn_guard_pair)p.what);
    }
}

void sn_inv_find_again(struct sn_inv *v, int module, const struct sn_inv *was, int old)
{
    struct search s = search(v, module, was, old, SN_KEYS_IN_CODE);
    find_in_code(&s);
    find_in_source(&s);
    end(&s);
    s = search(v, module, was, old, SN_KEYS_ANYWHERE);
    find_everywhere(&s);
    end(&s);
    unite(v);
}
