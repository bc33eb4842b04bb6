/*
 * model.h: a window as the analyses see it: events by thread, memory by cells, locks by critical
 * sections, and the order that no reordering may change.
 *
 * A cell is a run of bytes that every access of the window covers whole or not at all, so accesses
 * of different sizes need no special case further on. Only cells that two threads touch and one of
 * them writes are kept: all others are the same in every reordering.
 *
 * Everything in a model lives in the arena it was made from.
 */
#ifndef SN_PREDICT_MODEL_H
#define SN_PREDICT_MODEL_H

#include "predict/arena.h"
#include "predict/window.h"

#define SN_NONE 0xffffffffu

struct sn_cell {
    uint64_t addr;
    uint32_t size;     /* at most 8, within an aligned word */
    uint32_t first, n; /* its touches, in sn_model.cell_touch, by event */
};

enum sn_touch_kind {
    SN_TOUCH_READ = 1,
    SN_TOUCH_WRITE = 2,
    SN_TOUCH_ATOMIC = 4,
    SN_TOUCH_NEW = 8,    /* the memory came from the allocator; that is no race */
    SN_TOUCH_QUIET = 16, /* nor is this, the program says */
};

/* Two such touches by different threads may be a race. */
static inline bool sn_kinds_conflict(uint8_t a, uint8_t b)
{
    return (a | b) & SN_TOUCH_WRITE && !(a & b & SN_TOUCH_ATOMIC) &&
           !((a | b) & (SN_TOUCH_NEW | SN_TOUCH_QUIET));
}

/* One event on one cell. */
struct sn_touch {
    uint32_t event, cell;
    uint8_t kind; /* bits of enum sn_touch_kind */
};

/* A critical section. acquire SN_NONE: held since before the window; release SN_NONE: not given
 * back in it. */
struct sn_section {
    uint32_t thread, lock;
    uint32_t acquire, release;
    bool shared;
    bool unsure; /* at the moment: unseen code of its thread may have ended it */
    bool dead;   /* turned out never to have been; gone when the model is built */
};

struct sn_lock {
    uint64_t addr;
    uint32_t first, n; /* in sn_model.section, by acquisition */
    bool contested;    /* sections of two threads, not all shared */
};

/* A held lock as an element of a set. */
struct sn_lockset {
    uint32_t n;
    const uint32_t *lock; /* lock << 1 | shared, sorted */
};

enum { SN_SPIN_TAKES = 1, SN_SPIN_GIVES = 2 };

enum sn_edge_kind {
    SN_EDGE_ORDER, /* synchronisation: happens-before */
    SN_EDGE_KEEP,  /* stays as it was observed, because what happens then depends on it */
    SN_EDGE_SOFT,  /* the same, but only once `to` is executed, not when it is about to be */
};

/* If `to` is executed, `from` was executed before it. from < to always: the trace itself obeys. */
struct sn_edge {
    uint32_t from, to;
    enum sn_edge_kind kind;
};

/* If `guard` is executed, `from` comes before `to`; both are executed then. */
struct sn_guard {
    uint32_t guard, from, to;
};

struct sn_edges {
    struct sn_edge *e;
    uint32_t n, cap;
};

/* Edges by their target. */
struct sn_edges_in {
    const struct sn_edge *e;
    const uint32_t *first; /* n + 1 entries */
};

struct sn_model {
    struct sn_arena *arena;
    const struct sn_window *w;
    bool use_pairs;
    uint32_t n, nthreads;
    uint32_t *pos;   /* event -> its number in its thread */
    uint32_t **list; /* thread -> its events */
    uint32_t *length;
    struct sn_cell *cell;
    uint32_t ncells, cap_cells;
    struct sn_touch *touch; /* by event */
    uint32_t ntouches, cap_touches;
    uint32_t *touch_of;   /* event -> first touch; n + 1 entries */
    uint32_t *cell_touch; /* touches by cell */
    struct sn_section *section;
    uint32_t nsections, cap_sections;
    struct sn_lock *lock;
    uint32_t nlocks, cap_locks;
    uint8_t *spin; /* event -> SN_SPIN_TAKES, SN_SPIN_GIVES or 0; null: not looked for */
    struct sn_wheld *spin_held; /* such locks that are held when the window begins */
    uint32_t nspin_held, cap_spin_held;
    uint32_t *begins;     /* event -> section that it begins; SN_NONE */
    uint32_t *lockset_of; /* event -> set held when it happens */
    uint32_t *sure_of;    /* event -> the part of it that is held for sure */
    struct sn_lockset *lockset;
    uint32_t nlocksets, cap_locksets;
    struct sn_edges edges;
    struct sn_guard *guard;
    uint32_t nguards, cap_guards;
};

/* Fills everything but the edges. spin: words that are used as locks count as locks. use_pairs:
 * BarrierPairs explain what is missing. */
void sn_model_build(struct sn_model *m, struct sn_arena *a, const struct sn_window *w, bool spin,
                    bool use_pairs);
/* Parts of it, each in its own file. */
void sn_model_cells(struct sn_model *m);
void sn_model_spin(struct sn_model *m);
void sn_model_locks(struct sn_model *m);
/* Fork, join, conditions, barriers, semaphores, once, annotations, the allocator (Algorithm 8 and
 * what C adds to it). */
void sn_model_sync(struct sn_model *m);

void sn_edge_add(struct sn_model *m, struct sn_edges *edges, uint32_t from, uint32_t to,
                 enum sn_edge_kind kind);
struct sn_edges_in sn_edges_index(const struct sn_model *m, const struct sn_edges *edges);

/* Two sets with a lock in common, not shared by both. */
bool sn_locksets_exclude(const struct sn_model *m, uint32_t a, uint32_t b);
/* The bytes of an event that are in `cell`; only for events whose value is known. */
uint64_t sn_cell_value(const struct sn_cell *c, const struct sn_wevent *e, uint64_t value);
bool sn_touches_conflict(const struct sn_model *m, const struct sn_touch *a,
                         const struct sn_touch *b);

static inline uint32_t sn_thread_of(const struct sn_model *m, uint32_t event)
{
    return m->w->ev[event].thread;
}

/* The event before in the same thread; SN_NONE for the first. */
static inline uint32_t sn_event_before(const struct sn_model *m, uint32_t event)
{
    uint32_t p = m->pos[event];
    return p ? m->list[sn_thread_of(m, event)][p - 1] : SN_NONE;
}

#endif
