/* finding.h: issues of the interpretation as snag's findings. */
#ifndef SN_CHECK_FINDING_H
#define SN_CHECK_FINDING_H

#include "check/issue.h"
#include "store/finding.h"

void sn_issues_to_findings(const struct sn_issues *issues, const struct sn_bytecode *code,
                           const struct sn_contexts *contexts, struct sn_findings *out);

#endif
