/*
 * window.h: a run of consecutive events of a trace, with what was true at its start. Windows are
 * analysed independently of each other (section 5.2.1 of the RDIT paper): a prediction keeps
 * everything before the window as it was.
 *
 * Ownership: a struct sn_window is filled from an arena and goes with it.
 */
#ifndef SN_PREDICT_WINDOW_H
#define SN_PREDICT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "predict/arena.h"
#include "trace/trace.h"

struct sn_wevent {
    uint8_t op; /* enum sn_event_op */
    uint8_t flags, order;
    bool has_value;
    bool quiet; /* an access that the program's annotations say is no race */
    uint32_t thread; /* index in sn_window.thread */
    uint32_t site;
    uint64_t addr, size, value, old;
};

/* A lock that a thread holds when the window begins. */
struct sn_wheld {
    uint32_t thread;
    uint32_t site; /* where it was taken */
    uint64_t addr;
    bool shared;
    bool unsure; /* unseen code could have given it back */
};

/* A BarrierPair that is open in the window or part of it. */
struct sn_wpair {
    uint32_t thread;
    int32_t begin;                 /* event; -1: open when the window begins */
    uint32_t end;                  /* event; n: still open when it ends */
    uint32_t first_range, nranges; /* D, in sn_window.range */
};

/* Eight aligned bytes of memory as they were when the window began. */
struct sn_wword {
    uint64_t addr; /* divided by 8; 0: slot is free (no program has memory at page 0) */
    uint64_t value;
    uint8_t known; /* a bit per byte */
};

struct sn_window {
    uint64_t first; /* number of ev[0] in the trace */
    uint32_t n;
    struct sn_wevent *ev;
    uint32_t nthreads;
    uint32_t *thread; /* numbers, in the order of appearance */
    struct sn_wheld *held;
    uint32_t nheld, cap_held;
    struct sn_wpair *pair; /* by begin */
    uint32_t npairs, cap_pairs;
    struct sn_trace_range *range;
    uint32_t nranges, cap_ranges;
    struct sn_wword *word; /* hash table of cap_words slots, a power of two */
    uint32_t cap_words;
};

/* The value at the start of the window of `size` bytes (at most 8, within one aligned word). */
bool sn_window_start_value(const struct sn_window *w, uint64_t addr, unsigned size,
                           uint64_t *value);

struct sn_stream;

/* Cuts `t` into windows of `size` events. What it keeps between windows is bounded by the program:
 * held locks, open BarrierPairs, the object graph, and a table of recent memory of fixed size. */
struct sn_stream *sn_stream_new(struct sn_trace *t, uint32_t size);
/* Memory that is left out of every D; the array stays the caller's. */
void sn_stream_still(struct sn_stream *s, const struct sn_trace_range *still, uint32_t n);
void sn_stream_free(struct sn_stream *s);
/* 1: *w is the next window, from `a`; 0: the end; negative: as sn_trace_next(). */
int sn_stream_next(struct sn_stream *s, struct sn_arena *a, struct sn_window *w);

#endif
