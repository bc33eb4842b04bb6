/*
 * usual.c: what is usual: after which place nothing is asked again, and which reads need not be
 * recorded again when another thread comes there.
 *
 * A thread that comes from its own access at Q to P, and nobody came in between, has the same
 * remote predecessor at P as it had at Q. When all that may come before Q may come before P, too,
 * the answer is known: what was let through at Q is not told, nor waited for, once more at P. Of
 * several such Q the one that most threads come from, as far as the counts tell.
 *
 * A read may also pass because of what is said about plain reads (light.c). When P writes, they
 * must all be in its set. And no read is asked as below.
 *
 * Readers of what is seldom written would pass a word of the recorder around: each says that it was
 * the last. When the last one was at the same place, that makes no difference to any thread but the
 * one before: it sees what it saw before instead of that read. So a read stays where it may come
 * after itself, where whatever its thread does next may come after it, and may, when it writes,
 * come after all that it may come after itself. (Of a read that is asked in guard.c.)
 */
#include <stdlib.h>

#include "guard/invariants.h"
#include "store/xalloc.h"

static size_t plain_in_set(const struct sn_inv *v, const struct sn_inv_place *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->nset; i++)
        n += v->place[p->set[i]].plain && sn_inv_is_recorded(&v->place[p->set[i]]);
    return n;
}

/* How many threads go on from it to each of those that follow it, about. */
static double flow(const struct sn_inv_place *p, uint32_t followers)
{
    return (double)p->count / followers;
}

static void find_stays(struct sn_inv *v)
{
    for (uint32_t i = 1; i < v->n; i++) {
        struct sn_inv_place *p = &v->place[i];
        p->stays = sn_inv_is_recorded(p) && p->reads && sn_inv_in_set(p, i);
    }
    for (size_t i = 0; i < v->npairs; i++) {
        const struct sn_inv_place *next = &v->place[v->pair[i].site];
        struct sn_inv_place *p = &v->place[v->pair[i].pred];
        if (v->pair[i].what == SN_GUARD_LOCAL && p->stays && next->kept)
            p->stays =
                sn_inv_in_set(next, v->pair[i].pred) && (next->reads || sn_inv_is_subset(p, next));
    }
}

/* Reads that may pass because of a read that stays: what came before that one may be in no set of
 * theirs. malloc. */
static bool *find_lenient(const struct sn_inv *v)
{
    bool *lenient = sn_xcalloc(v->n, sizeof *lenient), more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < v->npairs; i++) {
            const struct sn_inv_pair *x = &v->pair[i];
            const struct sn_inv_place *p = &v->place[x->site], *q = &v->place[x->pred];
            if (x->what != SN_GUARD_LOCAL || !p->reads || lenient[x->site])
                continue;
            lenient[x->site] = lenient[x->pred] || (q->stays && !sn_inv_is_subset(q, p));
            more |= lenient[x->site];
        }
    }
    return lenient;
}

void sn_inv_usual(struct sn_inv *v)
{
    uint32_t *followers = sn_xcalloc(v->n, sizeof *followers);
    size_t *plain = sn_xcalloc(v->n, sizeof *plain); /* by group, recorded */
    for (size_t i = 1; i < v->n; i++) {
        v->place[i].after = 0;
        plain[v->place[i].group] += v->place[i].plain && sn_inv_is_recorded(&v->place[i]);
    }
    find_stays(v);
    bool *lenient = find_lenient(v);
    for (size_t i = 0; i < v->npairs; i++)
        followers[v->pair[i].pred] += v->pair[i].what == SN_GUARD_LOCAL;
    for (size_t i = 0; i < v->npairs; i++) {
        const struct sn_inv_pair *x = &v->pair[i];
        struct sn_inv_place *p = &v->place[x->site], *q = &v->place[x->pred];
        if (x->what != SN_GUARD_LOCAL || !x->pred || p == q || !sn_inv_is_recorded(p) ||
            !sn_inv_is_recorded(q) || !sn_inv_is_subset(q, p))
            continue;
        if (!p->reads && q->reads && (lenient[x->pred] || plain_in_set(v, p) < plain[p->group]))
            continue;
        if (!p->after ||
            flow(q, followers[x->pred]) > flow(&v->place[p->after], followers[p->after]))
            p->after = x->pred;
    }
    free(lenient);
    free(followers);
    free(plain);
}
