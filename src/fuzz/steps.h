/* steps.h: a minimised schedule as the steps that a person reads (struct sn_step). */
#ifndef SN_FUZZ_STEPS_H
#define SN_FUZZ_STEPS_H

#include "fuzz/campaign.h"

/* Runs the schedule once more to hear its events, and gives the finding those around its switches.
 * When it does not come again, only where threads stopped in `last`. */
void sn_steps_describe(struct sn_runner *runner, struct sn_result *r,
                       const struct sn_execution *last);

#endif
