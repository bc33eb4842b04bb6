/*
 * unit.h: a unit at work. With SNAG_UNIT in its environment any command of snag becomes one: it
 * writes its store beside the place of SNAG_UNIT_STORE, seals it, and moves it there when all is
 * done. So what is at that place is whole, whoever was killed, and running it twice is harmless.
 *
 *     SNAG_UNIT               CAMPAIGN:NUMBER:PLANNED (store/unit_id.h)
 *     SNAG_UNIT_STORE         where the store goes, absolute
 *     SNAG_UNIT_HOME          the campaign's folder here, and …
 *     SNAG_UNIT_PLANNED_HOME  … where it was planned: stored paths are those of the plan
 *     SNAG_UNIT_TIME          seconds after which the unit is given up; not set: never
 */
#ifndef SN_CAMPAIGN_UNIT_H
#define SN_CAMPAIGN_UNIT_H

#include <stdbool.h>

#include "store/unit_id.h"

#define SN_UNIT_KIND "unit" /* the blob that seals a store: key CAMPAIGN:NUMBER */

/* Whether this process is to be a unit. */
bool sn_unit_wanted(void);
/* Runs the command as a unit. Its status; SN_EXIT_FAILED or 128 + signal when it was not finished.
 */
int sn_unit_main(int (*run)(int argc, char **argv), int argc, char **argv);

enum sn_unit_state { SN_UNIT_MISSING, SN_UNIT_HALF, SN_UNIT_DONE };
/* What is at `store`; the unit must be the one with this number of this campaign. */
enum sn_unit_state sn_unit_look(const char *store, const char *campaign, uint32_t number);

#endif
