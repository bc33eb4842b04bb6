/* log.h: a line for each violation, in the file that SNAG_GUARD_LOG names; without it nothing is
 * said. */
#ifndef SN_SA_LOG_H
#define SN_SA_LOG_H

#include <stdint.h>

void sn_log_violation(uint32_t site, uint32_t pred, int resolved, uint64_t ns);

#endif
