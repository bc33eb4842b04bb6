/*
 * values.h: who may read what from whom: the material of the read-consistency constraints
 * (Algorithm 10 of the RDIT paper).
 *
 * A variable is a cell, or a cell between two moments at which unseen code could have changed it
 * (rdit.c). Values are numbered: equal numbers are equal values of the same variable. A write whose
 * value is not known has a number of its own, so only those who read it in the trace may read it. A
 * read that the trace's writes do not explain brings its value with it: it counts as a write just
 * before itself.
 */
#ifndef SN_PREDICT_VALUES_H
#define SN_PREDICT_VALUES_H

#include "predict/model.h"

struct sn_access {
    uint32_t event, var;
    uint32_t value; /* number */
    uint32_t from;  /* a read: the event that wrote it in the trace; SN_NONE: it was there before */
    bool write;
};

struct sn_var {
    uint32_t first, n; /* its accesses, in sn_values.by_var, in trace order */
    uint32_t start;    /* value number at the beginning; SN_NONE: not known */
};

struct sn_values {
    struct sn_access *access; /* by event; an event's reads before its writes */
    uint32_t n, cap;
    uint32_t *of; /* event -> first access; events + 1 entries */
    struct sn_var *var;
    uint32_t nvars;
    uint32_t *by_var; /* accesses by variable */
    uint32_t nvalues;
    uint32_t *write_first;     /* value number -> writes of it, in `writes`; nvalues + 1 entries */
    uint32_t *writes;          /* accesses, of each value by thread, then in program order */
    uint32_t *var_write_first; /* the same for all writes of a variable */
    uint32_t *var_writes;
};

/* A read that is no touch: unseen code may look at the variable when the event happens. */
struct sn_look {
    uint32_t event, var;
};

/* How touches become accesses. */
struct sn_values_plan {
    uint32_t nvars;
    const uint32_t *var;        /* by touch; SN_NONE: needs no constraint */
    const uint32_t *cell;       /* by variable */
    const bool *later;          /* by variable: it does not begin with the window; null: all do */
    const struct sn_look *look; /* by event */
    uint32_t nlooks;
};

void sn_values_build(const struct sn_model *m, const struct sn_values_plan *plan,
                     struct sn_values *v);
/* In such a list from `low` to `high`: the first write of thread `t`, or of a later one, whose
 * place in the thread is not before `pos`. */
uint32_t sn_writes_from(const struct sn_model *m, const struct sn_values *v, const uint32_t *list,
                        uint32_t low, uint32_t high, uint32_t t, uint32_t pos);
/* Every kept cell is one variable (complete traces). */
void sn_values_of_cells(const struct sn_model *m, struct sn_values *v);

#endif
