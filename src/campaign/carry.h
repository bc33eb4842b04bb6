/*
 * carry.h: inside src/campaign only: what a machine without a shared folder needs, in one archive:
 *
 *     snag lib/ contracts/   this snag, as a build folder has it
 *     deps/                  the shared libraries it was linked with, when asked for
 *     home/                  programs and files of the units, below the campaign's folder
 *     units/ job             the units, and the script that runs one of them in there
 */
#ifndef SN_CAMPAIGN_CARRY_H
#define SN_CAMPAIGN_CARRY_H

#include "campaign/work.h"

/* Writes DIR/carry.tar and DIR/carry-job. 0, or SN_EXIT_FAILED after a message. */
int sn_carry_make(const struct sn_work *w);
/* Writes DIR/job: `sh DIR/job N` runs unit N with its output in log/, status 0 when it is done. */
int sn_job_make(const struct sn_work *w);
/* Runs a command and waits for it. Its exit status; 127 when it could not be started. */
int sn_call(char *const *argv);

#endif
