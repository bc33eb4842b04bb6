/* stored.h: what list, show and report share: reading the store, writing the wanted forms. */
#ifndef SN_CMD_STORED_H
#define SN_CMD_STORED_H

#include <stdbool.h>

#include "report/report.h"

/* All findings of the store. 0, or SN_EXIT_FAILED after a message. */
int sn_stored_read(struct sn_report *r);
/* Marks what is known (report/judge.h). 0, or SN_EXIT_FAILED after a message. */
int sn_stored_judge(struct sn_report *r);
/* The forms that the options ask for; the text unless `quiet`. Returns the exit status. */
int sn_stored_emit(struct sn_report *r, bool quiet, bool candidates);

#endif
