/* log.h: a line for each violation, in the file that SNAG_GUARD_LOG names; without it nothing is
 * said. */
#ifndef SN_SA_LOG_H
#define SN_SA_LOG_H

#include <stdint.h>

/* Before a stall, so that little is left to do after it; -1: nothing is to be said. */
long sn_log_open(void);
/* Writes the line and closes. */
void sn_log_violation(long fd, uint32_t site, uint32_t pred, int resolved, uint64_t ns);

#endif
