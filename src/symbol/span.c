/*
 * span.c: spans sorted by start, each with the highest end so far, so that a search walks back from
 * the last start at or before the address and stops when nothing before can reach it.
 */
#include "symbol/span.h"

#include "store/xalloc.h"

void sn_spans_add(struct sn_spans *s, uint64_t low, uint64_t high, uint32_t item, uint32_t rank)
{
    if (low >= high)
        return;
    s->v = sn_xgrow(s->v, s->n, &s->cap, sizeof *s->v);
    s->v[s->n++] = (struct sn_span){low, high, high, item, rank};
}

/* The better of two spans comes later, as the search goes backwards. */
static int compare(const void *pa, const void *pb)
{
    const struct sn_span *a = pa, *b = pb;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high > b->high ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->item > b->item ? -1 : a->item < b->item;
}

void sn_spans_sort(struct sn_spans *s)
{
    uint64_t top = 0;
    if (s->n)
        qsort(s->v, s->n, sizeof *s->v, compare);
    for (size_t i = 0; i < s->n; i++) {
        top = s->v[i].high > top ? s->v[i].high : top;
        s->v[i].top = top;
    }
}

const struct sn_span *sn_spans_find(const struct sn_spans *s, uint64_t at)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->v[mid].low <= at)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low > 0 && s->v[low - 1].top > at; low--) {
        if (s->v[low - 1].high > at)
            return &s->v[low - 1];
    }
    return NULL;
}

void sn_spans_free(struct sn_spans *s)
{
    free(s->v);
    *s = (struct sn_spans){0};
}
