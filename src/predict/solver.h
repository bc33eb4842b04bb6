/*
 * solver.h: inside solve.c, give.c and proposal.c only: what the solver has in play, and the three
 * parts of its work.
 */
#ifndef SN_PREDICT_SOLVER_H
#define SN_PREDICT_SOLVER_H

#include "core/sys.h"
#include "predict/solve.h"

/* A read that has its constraint: truth values `first` … say which write serves it, in the order of
 * sn_values.writes, and the last one that the start does. */
struct sn_choice {
    uint32_t first, n; /* n == 0: none yet */
    bool start;        /* the start is one of them */
};

struct sn_pair_set {
    uint64_t *key; /* 0: free */
    uint32_t n, cap;
};

struct sn_solver {
    const struct sn_causal *c;
    struct sn_smt *smt;
    uint32_t cut;
    uint32_t *order;          /* event -> its variable; SN_NONE: not in play */
    bool *relevant;           /* event -> something depends on its place */
    uint32_t *in_play;        /* thread -> events in play */
    uint32_t *last;           /* thread -> last event with a variable; SN_NONE */
    struct sn_choice *choice; /* by access */
    struct sn_pair_set given; /* lock and interference constraints that were added */
    uint32_t *todo;           /* events to bring into play */
    uint32_t ntodo, cap_todo;
    /* one proposal */
    int64_t *at;      /* event -> place */
    uint32_t *have;   /* thread -> events needed */
    uint32_t *looked; /* thread -> events whose needs were followed */
    uint32_t *serves; /* access -> event that the proposal lets it read from; SN_NONE: start */
    uint32_t *memory; /* by variable */
    struct sn_literal *clause;
    uint32_t nclause, cap_clause;
};

static inline struct sn_literal sn_less(uint32_t a, uint32_t b)
{
    return (struct sn_literal){SN_LESS, a, b};
}

static inline struct sn_literal sn_not_less(uint32_t a, uint32_t b)
{
    return (struct sn_literal){SN_NOT_LESS, a, b};
}

static inline struct sn_literal sn_truth(uint32_t a, bool value)
{
    return (struct sn_literal){value ? SN_TRUE : SN_FALSE, a, 0};
}

/* give.c: constraints. A clause is given literal by literal. */
void sn_give_literal(struct sn_solver *s, struct sn_literal l);
void sn_give_clause(struct sn_solver *s);
/* All wanted events, what comes before them in their threads, and what that waits for. */
void sn_want_event(struct sn_solver *s, uint32_t event);
void sn_bring_into_play(struct sn_solver *s);
/* One of the two sections of a lock is over before the other begins. False: was given before. */
bool sn_give_lock_pair(struct sn_solver *s, uint32_t a, uint32_t b);
/* The read is served by one of the writes of its value. */
void sn_give_choice(struct sn_solver *s, uint32_t read);
/* The write `w` (SN_NONE: the start) serves the read by truth value `served`: `other` is not
 * between. False: was given before. */
bool sn_give_interference(struct sn_solver *s, uint32_t served, uint32_t read_event, uint32_t w,
                          uint32_t other);

/* proposal.c: the solver's proposal is good, or has taught it something. */
bool sn_try_proposal(struct sn_solver *s, const struct sn_question *q, struct sn_meeting *meet,
                     struct sn_reordering *o);

#endif
