/* unite.h: the end of a campaign: its units' stores become one, and a report. */
#ifndef SN_CAMPAIGN_UNITE_H
#define SN_CAMPAIGN_UNITE_H

#include "campaign/work.h"
#include "report/report.h"

/* Takes the stores of all units that are done into `store` (a folder). Fills r->findings with what
 * this campaign found (new_only: that no run before it had found), r->stats and `messages` (lines
 * for the report, units that are missing among them). 0, or SN_EXIT_FAILED after a message. */
int sn_unite(struct sn_work *w, const char *store, bool new_only, struct sn_report *r,
             struct sn_words *messages);

#endif
