/*
 * behind.c: places that need neither a check nor a record, because an access of their own thread
 * stands before them: what is inside of a critical section, between what others see of it.
 *
 * In training P always followed an access of its own thread to the same memory, never another
 * thread and never nobody. Let Q be one of those that it followed, as far as they are recorded; of
 * others what they followed themselves. P is left out when for every such Q
 *
 * 1. whoever may come after P may come after Q, and the other way round: so it makes no difference
 *    that others see Q in its place;
 * 2. nobody who is recorded may come after Q, but P itself: who comes in between is refused
 *    because of Q, with P or without it. (P cannot come in between in another thread: it would
 *    follow a Q there, and one of the two Q would have come after the other.)
 * 3. all that may come before Q may come before P: since nobody came in between, P's remote
 *    predecessor is the one of Q, so P would always pass.
 *
 * Then the first access that is refused is the same one as before, whatever the threads do, as long
 * as each does by itself what it did in training (behind_test.c).
 *
 * "May come after" is a matter of sets, and of plain reads (light.c), which every read may come
 * after when it may come after what was before: a plain read stands for plain reads only, and is
 * always followed.
 *
 * One is taken out after the other, the most frequent first, each from what the others left; so
 * each time the argument is about the program that is there.
 */
#include <stdlib.h>
#include <string.h>

#include "guard/invariants.h"
#include "store/xalloc.h"

/* Rows of numbers: row i is item[first[i] … first[i + 1]). */
struct rows {
    size_t *first;
    uint32_t *item;
};

struct work {
    struct sn_inv *v;
    bool *enters;       /* by place: another thread has come right before */
    struct rows before; /* by place: who came right before, by the same thread; 0 is nobody */
    struct rows after;  /* by place: in whose sets it is, ascending */
    size_t *plain;      /* by group: plain reads that are recorded */
    uint32_t *mark;     /* by place: the walk that has been there */
    uint32_t number;    /* of the walk */
    uint32_t *found, nfound;
};

static struct rows make_rows(const size_t *count, size_t n)
{
    struct rows r = {sn_xcalloc(n + 2, sizeof *r.first), NULL};
    for (size_t i = 0; i < n; i++)
        r.first[i + 2] = r.first[i + 1] + count[i];
    r.item = sn_xcalloc(r.first[n + 1], sizeof *r.item);
    return r; /* filled by item[first[i + 1]++] */
}

static void list_before(struct work *w)
{
    const struct sn_inv *v = w->v;
    size_t *count = sn_xcalloc(v->n, sizeof *count);
    for (size_t i = 0; i < v->npairs; i++)
        count[v->pair[i].site] += v->pair[i].what == SN_GUARD_LOCAL;
    w->before = make_rows(count, v->n);
    for (size_t i = 0; i < v->npairs; i++)
        if (v->pair[i].what == SN_GUARD_LOCAL)
            w->before.item[w->before.first[v->pair[i].site + 1]++] = v->pair[i].pred;
    free(count);
}

static void list_after(struct work *w)
{
    const struct sn_inv *v = w->v;
    size_t *count = sn_xcalloc(v->n, sizeof *count);
    for (size_t i = 1; i < v->n; i++)
        for (size_t k = 0; v->place[i].kept && k < v->place[i].nset; k++)
            count[v->place[i].set[k]]++;
    w->after = make_rows(count, v->n);
    for (uint32_t i = 1; i < v->n; i++)
        for (size_t k = 0; v->place[i].kept && k < v->place[i].nset; k++)
            w->after.item[w->after.first[v->place[i].set[k] + 1]++] = i;
    free(count);
}

/* The next of a row that is still checked, and is not `but`; 0: no more. */
static uint32_t next_kept(const struct work *w, size_t *i, size_t end, uint32_t but)
{
    while (*i < end) {
        uint32_t y = w->after.item[(*i)++];
        if (y != but && w->v->place[y].kept)
            return y;
    }
    return 0;
}

/* The same ones may come after `a` and `b`, not asking `but`. */
static bool same_after(const struct work *w, uint32_t a, uint32_t b, uint32_t but)
{
    size_t i = w->after.first[a], k = w->after.first[b];
    uint32_t x, y;
    if (w->v->place[a].plain != w->v->place[b].plain)
        return false;
    do {
        x = next_kept(w, &i, w->after.first[a + 1], but);
        y = next_kept(w, &k, w->after.first[b + 1], but);
        if (x != y)
            return false;
    } while (x);
    return true;
}

/* What is recorded and came before `place` in its thread, added to `found`. False: nobody, or
 * somebody else. */
static bool find_before(struct work *w, uint32_t place)
{
    if (w->enters[place])
        return false;
    for (size_t i = w->before.first[place]; i < w->before.first[place + 1]; i++) {
        uint32_t q = w->before.item[i];
        if (!q)
            return false;
        if (w->mark[q] == w->number)
            continue;
        w->mark[q] = w->number;
        if (sn_inv_is_recorded(&w->v->place[q]))
            w->found[w->nfound++] = q;
        else if (!find_before(w, q))
            return false;
    }
    return true;
}

/* Everything that may be before Q, as far as Q's check tells, may be before P. */
static bool passes_as(const struct work *w, const struct sn_inv_place *q,
                      const struct sn_inv_place *p)
{
    size_t plain = 0;
    if (!sn_inv_is_subset(q, p))
        return false;
    if (p->reads || !q->reads)
        return true;
    for (size_t i = 0; i < p->nset; i++)
        plain += w->v->place[p->set[i]].plain && sn_inv_is_recorded(&w->v->place[p->set[i]]);
    return plain == w->plain[p->group];
}

/* Somebody who is recorded may come after `place`, and is not P. */
static bool is_followed(const struct work *w, uint32_t place, uint32_t p)
{
    if (w->v->place[place].plain)
        return true; /* any read may */
    for (size_t i = w->after.first[place]; i < w->after.first[place + 1]; i++)
        if (w->after.item[i] != p && sn_inv_is_recorded(&w->v->place[w->after.item[i]]))
            return true;
    return false;
}

static bool is_behind(struct work *w, uint32_t p)
{
    const struct sn_inv_place *place = w->v->place;
    w->nfound = 0;
    w->mark[p] = ++w->number;
    if (!sn_inv_is_recorded(&place[p]) || !find_before(w, p) || !w->nfound)
        return false;
    for (uint32_t i = 0; i < w->nfound; i++) {
        uint32_t q = w->found[i];
        if (!same_after(w, p, q, p) || is_followed(w, q, p) || !passes_as(w, &place[q], &place[p]))
            return false;
    }
    return true;
}

/* It is in no word any more, so it is in no set; who comes next in its thread comes after what it
 * came after. */
static void leave_out(struct work *w, uint32_t p)
{
    struct sn_inv *v = w->v;
    v->place[p].kept = v->place[p].light = false;
    v->place[p].behind = true;
    w->plain[v->place[p].group] -= v->place[p].plain;
    for (size_t i = w->after.first[p]; i < w->after.first[p + 1]; i++) {
        struct sn_inv_place *y = &v->place[w->after.item[i]];
        size_t n = 0;
        for (size_t k = 0; k < y->nset; k++)
            if (y->set[k] != p)
                y->set[n++] = y->set[k];
        y->nset = n;
    }
}

static const struct sn_inv *sorted; /* for compare() */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t cx = sorted->place[x].count, cy = sorted->place[y].count;
    return cx != cy ? cx > cy ? -1 : 1 : x < y ? -1 : x > y;
}

static uint32_t *by_count(const struct sn_inv *v)
{
    uint32_t *all = sn_xcalloc(v->n, sizeof *all);
    for (uint32_t i = 0; i < v->n; i++)
        all[i] = i;
    sorted = v;
    qsort(all + 1, v->n - 1, sizeof *all, compare);
    return all;
}

/* usual.c asks who came right before. */
static void add_pairs(struct work *w)
{
    struct sn_inv *v = w->v;
    for (uint32_t i = 1; i < v->n; i++)
        for (size_t k = w->before.first[i]; v->place[i].kept && k < w->before.first[i + 1]; k++) {
            uint32_t q = w->before.item[k];
            w->nfound = 0;
            w->number++;
            if (v->place[q].behind && find_before(w, q))
                for (uint32_t m = 0; m < w->nfound; m++)
                    sn_inv_add(v, i, w->found[m], SN_GUARD_LOCAL);
        }
}

static void find_facts(struct work *w)
{
    struct sn_inv *v = w->v;
    for (size_t i = 0; i < v->npairs; i++)
        w->enters[v->pair[i].site] |= v->pair[i].what == SN_GUARD_ENTER;
    for (size_t i = 1; i < v->n; i++) {
        v->place[i].behind = false;
        w->plain[v->place[i].group] += v->place[i].plain && sn_inv_is_recorded(&v->place[i]);
    }
    list_before(w);
    list_after(w);
}

void sn_inv_behind(struct sn_inv *v)
{
    struct work w = {
        .v = v,
        .enters = sn_xcalloc(v->n, sizeof *w.enters),
        .plain = sn_xcalloc(v->n, sizeof *w.plain),
        .mark = sn_xcalloc(v->n, sizeof *w.mark),
        .found = sn_xcalloc(v->n, sizeof *w.found),
    };
    find_facts(&w);
    uint32_t *order = by_count(v);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 1; i < v->n; i++)
            if (is_behind(&w, order[i])) {
                leave_out(&w, order[i]);
                more = true;
            }
    }
    add_pairs(&w);
    free(order);
    free(w.enters);
    free(w.plain);
    free(w.mark);
    free(w.found);
    free(w.before.first);
    free(w.before.item);
    free(w.after.first);
    free(w.after.item);
}
