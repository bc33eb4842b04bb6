/* guard_choice.c: the emergency patch (section 4.2) and the table of groups (Table 4). */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/guard.h"
#include "cmd/options.h"
#include "cmd/say.h"
#include "store/store.h"

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

void sn_guard_print_groups(const struct sn_inv *v, const struct sn_inv_choice *c)
{
    size_t n;
    struct sn_inv_group *g = sn_inv_groups(v, c, &n);
    for (size_t i = 0; i < n; i++)
        if (g[i].part >= 0.001 || i < 5)
            printf("%6.2f %%  %4zu places%s\n", 100 * g[i].part, g[i].places,
                   g[i].dropped ? "  left out" : "");
    fflush(stdout);
    free(g);
}
