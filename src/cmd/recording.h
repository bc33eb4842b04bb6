/*
 * recording.h: a run under the engine `record`, from both sides: what the engine has to know of the
 * program, and the traces that it leaves in the run folder, one per process.
 */
#ifndef SN_CMD_RECORDING_H
#define SN_CMD_RECORDING_H

#include "cmd/words.h"

struct sn_recording {
    const char *program;
    const struct sn_words *excluded; /* patterns */
};

/* Writes what the engine reads. 0, or SN_EXIT_FAILED after a message (a pattern that fits no
 * function, say). */
int sn_recording_prepare(const struct sn_recording *r, const char *run_dir);
/* The traces in the folder, the first process's first: full paths. */
void sn_recording_traces(const char *run_dir, struct sn_words *out);
/* Makes a whole trace of one, at `to`; zstd's level, 0 for none. 0, or SN_EXIT_FAILED after a
 * message. */
int sn_recording_pack(const char *trace, const char *to, int level);

#endif
