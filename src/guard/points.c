/*
 * points.c: Algorithm 3: where to hold a thread back so that an order turns around that was the
 * same in all correct runs. S has one predecessor only, P, and never comes before it: hold back
 * whoever comes to P; when P is done under a lock, before the first lock that its thread takes,
 * since S may want it too.
 */
#include <stdlib.h>

#include "guard/invariants.h"
#include "store/xalloc.h"

static bool has_pair(const struct sn_inv *v, uint32_t site, uint32_t pred)
{
    for (size_t i = 0; i < v->npairs; i++)
        if (v->pair[i].what == SN_GUARD_REMOTE && v->pair[i].site == site &&
            v->pair[i].pred == pred)
            return true;
    return false;
}

struct sn_inv_point *sn_inv_points(const struct sn_inv *v, size_t *n)
{
    struct sn_inv_point *out = sn_xcalloc(v->n, sizeof *out);
    uint32_t *only = sn_xcalloc(v->n, sizeof *only), *count = sn_xcalloc(v->n, sizeof *count);
    *n = 0;
    for (size_t i = 0; i < v->npairs; i++)
        if (v->pair[i].what == SN_GUARD_REMOTE) {
            only[v->pair[i].site] = v->pair[i].pred;
            count[v->pair[i].site]++;
        }
    for (uint32_t s = 1; s < v->n; s++) {
        uint32_t p = only[s];
        if (count[s] != 1 || !p || has_pair(v, p, s) || p == s)
            continue;
        uint32_t lock = v->place[p].lock, stall = lock ? lock : p;
        if (v->place[stall].module >= 0 && v->place[s].module >= 0 && v->place[p].module >= 0)
            out[(*n)++] = (struct sn_inv_point){stall, p, s};
    }
    free(only);
    free(count);
    return out;
}
