/*
 * span.h: which of many address ranges holds an address. The four indexes of this folder (units,
 * functions, variables, ELF symbols) are such sets: fill, sort once, then find.
 */
#ifndef SN_SYMBOL_SPAN_H
#define SN_SYMBOL_SPAN_H

#include <stddef.h>
#include <stdint.h>

struct sn_span {
    uint64_t low, high; /* [low, high) */
    uint64_t top;       /* highest `high` of this span and all before it; after sorting */
    uint32_t item;      /* what it stands for: an index of the owner's */
    uint32_t rank;      /* of two equal ranges the higher rank is found */
};

struct sn_spans {
    struct sn_span *v;
    size_t n, cap;
};

/* Empty and reversed ranges are left out. */
void sn_spans_add(struct sn_spans *s, uint64_t low, uint64_t high, uint32_t item, uint32_t rank);
void sn_spans_sort(struct sn_spans *s);
/* The innermost span that holds `at`: the one that starts last, then the shortest. Null: none. */
const struct sn_span *sn_spans_find(const struct sn_spans *s, uint64_t at);
void sn_spans_free(struct sn_spans *s);

#endif
