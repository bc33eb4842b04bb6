/*
 * ingest.h: from the run files of one run to findings: read, symbolise, name, unite.
 *
 * Ownership: the caller frees *out with sn_findings_free() and *info with sn_ingest_info_free().
 */
#ifndef SN_STORE_INGEST_H
#define SN_STORE_INGEST_H

#include <stdint.h>

#include "core/runfile.h"
#include "store/finding.h"

struct sn_ingest_info {
    unsigned processes;                 /* run files that could be read */
    unsigned instrumented;              /* processes in which instrumented code ran */
    unsigned unfinished;                /* processes that were killed, or still run */
    unsigned damaged;                   /* run files that are cut off or cannot be read */
    uint64_t counters[SN_RUN_COUNTERS]; /* sums over the processes */
    char **messages; /* lines for the user, null-terminated: damage, losses, the runtime's own */
};

/* Reads every *.run in run_dir. Damaged files and records are said in info->messages and do not
 * stop the rest. 0, or -errno when the folder itself cannot be read. Findings are united by key. */
int sn_ingest(const char *run_dir, struct sn_findings *out, struct sn_ingest_info *info);
void sn_ingest_info_free(struct sn_ingest_info *info);

#endif
