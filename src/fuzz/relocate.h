/*
 * relocate.h: findings that have no code positions in the program as it is built now (a static
 * check's, or those of an older build) get them by file, line and operation, from the statements
 * that run.
 */
#ifndef SN_FUZZ_RELOCATE_H
#define SN_FUZZ_RELOCATE_H

#include "fuzz/execute.h"
#include "store/finding.h"

/* Findings whose sites were all found stay in `all`, with their places; the others are left out. 0,
 * or an exit status after a message. */
int sn_relocate(struct sn_runner *r, struct sn_findings *all);

#endif
