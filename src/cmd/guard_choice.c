/* guard_choice.c: the emergency patch (section 4.2), the table of groups (Table 4), the budget. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/guard.h"
#include "cmd/options.h"
#include "cmd/say.h"
#include "store/store.h"
#include "store/xalloc.h"

static void add(uint32_t *out, size_t max, size_t *n, uint32_t place)
{
    for (size_t i = 0; i < *n; i++)
        if (out[i] == place)
            return;
    if (*n < max && place)
        out[(*n)++] = place;
}

/* The finding's places, what each of them may follow, and what may follow them: that is all that
 * the recorder must see to know when it is right to go on. */
static void add_related(struct sn_inv *v, uint32_t *out, size_t max, size_t *n)
{
    size_t own = *n;
    for (size_t i = 0; i < v->npairs; i++) {
        const struct sn_inv_pair *p = &v->pair[i];
        for (size_t j = 0; j < own && p->what <= SN_GUARD_LOCAL; j++) {
            if (p->site == out[j])
                add(out, max, n, p->pred);
            if (p->pred == out[j])
                add(out, max, n, p->site);
        }
    }
}

int sn_guard_patch(struct sn_inv *v, uint32_t *out, size_t max, size_t *n)
{
    struct sn_store *store = NULL;
    struct sn_finding f = {0};
    char *why = NULL;
    if (!sn_common.store || sn_store_open(sn_common.store, SN_STORE_READ, &store, &why) < 0) {
        int status = sn_fail("%s", why ? why : "--patch needs a store");
        free(why);
        return status;
    }
    int status = 0;
    *n = 0;
    if (sn_store_get(store, sn_guard_options.patch, &f) < 0)
        status = sn_fail("%s", sn_store_error(store));
    else if (!(*n = sn_guard_places(v, &f, out, max)))
        status = sn_fail("finding %lld is at no place that was learned about %s",
                         (long long)sn_guard_options.patch, v->program);
    else
        add_related(v, out, max, n);
    sn_finding_clear(&f);
    sn_store_close(store);
    return status;
}

void sn_guard_print_groups(const struct sn_inv *v)
{
    size_t n;
    struct sn_inv_group *g = sn_inv_groups(v, &n);
    for (size_t i = 0; i < n; i++) {
        if (g[i].part < 0.001 && i >= 5)
            continue;
        char *words = sn_keys_words(v->keys, v->place[g[i].hottest].key);
        printf("%6.2f %%  %4zu places", 100 * g[i].part, g[i].places);
        if (v->time.accesses)
            printf("  cost %.2f %%", sn_inv_cost_of(v, g[i].group));
        printf("%s  %s\n", g[i].dropped ? "  left out" : "", words);
        free(words);
    }
    fflush(stdout);
    free(g);
}

/* ---- the budget ---- */

/* A bug that was seen there is a reason to guard it, whatever it costs. False after a message. */
static bool find_must(struct sn_inv *v, bool *must)
{
    struct sn_store *store = NULL;
    struct sn_findings all = {0};
    char *why = NULL;
    if (!sn_common.store || sn_store_open(sn_common.store, SN_STORE_READ, &store, &why) < 0) {
        free(why); /* nothing was learned then */
        return true;
    }
    bool ok = sn_store_all(store, &all) == 0;
    if (!ok)
        sn_fail("%s", sn_store_error(store));
    for (size_t i = 0; i < all.n; i++) {
        uint32_t place[256];
        bool violates = all.f[i].kind == SN_KIND_ORDER || all.f[i].kind == SN_KIND_ATOMICITY;
        size_t n = violates ? sn_guard_places(v, &all.f[i], place, 256) : 0;
        add_related(v, place, 256, &n);
        while (n-- > 0)
            must[place[n]] = true;
    }
    sn_findings_free(&all);
    sn_store_close(store);
    return ok;
}

static size_t count_dropped(const struct sn_inv *v, const bool *drop)
{
    size_t n = 0;
    for (size_t i = 1; i < v->n; i++)
        n += drop[i] && v->place[i].kept;
    return n;
}

struct left_out {
    uint32_t hottest;
    size_t places;
    double cost;
};

static int compare_cost(const void *a, const void *b)
{
    const struct left_out *x = a, *y = b;
    return x->cost > y->cost ? -1 : x->cost < y->cost;
}

static void say_left_out(const struct sn_inv *v, const bool *drop)
{
    enum { TOLD = 5 };
    struct left_out *g = sn_xcalloc(v->n, sizeof *g);
    size_t n = 0;
    for (uint32_t i = 1; i < v->n; i++) {
        struct left_out *x = &g[v->place[i].group];
        if (!drop[i] || !v->place[i].kept)
            continue;
        if (!x->places++ || v->place[i].count > v->place[x->hottest].count)
            x->hottest = i;
    }
    for (uint32_t i = 1; i < v->n; i++)
        if (g[i].places) {
            g[i].cost = sn_inv_cost_of(v, i);
            g[n++] = g[i];
        }
    qsort(g, n, sizeof *g, compare_cost);
    for (size_t i = 0; i < n && i < TOLD; i++) {
        char *words = sn_keys_words(v->keys, v->place[g[i].hottest].key);
        sn_say("left out: %zu places that would cost %.2f %%, the hottest is %s", g[i].places,
               g[i].cost, words);
        free(words);
    }
    if (n > TOLD)
        sn_say("left out: %zu groups of places more (--groups)", n - TOLD);
    if (n && sn_guard_options.by_default)
        sn_say("that is so that guarding costs %g %%: --budget 5 guards more, --budget 100 "
               "everything",
               sn_guard_options.budget);
    free(g);
}

static void say_estimate(const struct sn_inv *v, const bool *must)
{
    double gone, cost = sn_inv_cost(v, &gone);
    char *more = NULL;
    if (cost > 1 && !sn_guard_options.budget) {
        bool *drop = sn_inv_too_much(v, 1, must);
        more = sn_xformat("; --budget 1 would leave out %zu places", count_dropped(v, drop));
        free(drop);
    }
    sn_say("estimated cost: %.1f %% of processor time, and %.1f %% where calls are gone%s", cost,
           gone, more ? more : "");
    if (sn_guard_options.budget && cost > sn_guard_options.budget)
        sn_say("that is more than --budget %g: what findings need stays", sn_guard_options.budget);
    free(more);
}

int sn_guard_within_budget(struct sn_inv *v, struct sn_inv_choice *c)
{
    bool *must = sn_xcalloc(v->n, sizeof *must), *drop = NULL;
    int status = 0;
    if (!v->time.accesses) {
        if (sn_guard_options.budget)
            status = sn_fail("--budget: training by an older snag, or of processes that were "
                             "killed, does not tell how much time %s takes: snag learn again",
                             v->program);
    } else if (!find_must(v, must)) {
        status = SN_EXIT_FAILED;
    } else {
        if (sn_guard_options.budget) {
            c->drop = drop = sn_inv_too_much(v, sn_guard_options.budget, must);
            say_left_out(v, drop);
            sn_inv_select(v, c);
            c->drop = NULL;
        }
        say_estimate(v, must);
    }
    free(must);
    free(drop);
    return status;
}
