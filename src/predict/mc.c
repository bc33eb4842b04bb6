/*
 * mc.c: the maximal causal model of a trace that is taken to be complete (section 4.4.1 of the RDIT
 * paper, after Huang, Meredith and Rosu): program order, fork and join, locks, read consistency.
 * BarrierPairs are not looked at, so on an incomplete trace it may be wrong; that is what rdit.c is
 * for.
 *
 * Algorithms 7, 9 and 10 have no code here: program order is in every question by construction,
 * locks are the model's sections, and values.c numbers what a read may read. solve.c turns them
 * into constraints as far as a question needs them.
 */
#include "predict/causal.h"

void sn_mc_build(struct sn_model *m, struct sn_causal *c)
{
    sn_model_sync(m);
    sn_values_of_cells(m, &c->v);
    sn_causal_finish(m, c);
}
