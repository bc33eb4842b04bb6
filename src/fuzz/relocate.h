/*
 * relocate.h: findings that have no code positions in the program as it is built now (a static
 * check's, or those of an older build) get them by file, line and operation, from the statements
 * that run.
 */
#ifndef SN_FUZZ_RELOCATE_H
#define SN_FUZZ_RELOCATE_H

#include "fuzz/execute.h"
#include "store/finding.h"

/* A statement that runs. */
struct sn_place {
    struct sn_seen seen;
    struct sn_stack stack;
};

struct sn_places {
    struct sn_place *p;
    size_t n, cap;
};

/* Those that some executions come to. 0, or an exit status after a message. */
int sn_places_collect(struct sn_runner *r, struct sn_places *out);
void sn_places_clear(struct sn_places *all);

/* Findings whose sites were all found stay in `all`, with their places; the others are left out. 0,
 * or an exit status after a message. */
int sn_relocate(struct sn_runner *r, struct sn_findings *all);

#endif
