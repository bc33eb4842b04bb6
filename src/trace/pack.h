/*
 * pack.h: what a recording program left: blocks in a file, and the block that it was filling
 * (tail.h). Blocks are taken as they are; nothing is decoded.
 */
#ifndef SN_TRACE_PACK_H
#define SN_TRACE_PACK_H

#include <stdio.h>

/* Writes the trace at `path` with its tail as a whole trace, each block packed by zstd (level 0: as
 * it is). A trace whose program was killed stays without its last block, so that a reader says so.
 * 0, or -errno: -EBADMSG when the file is no recording. */
int sn_trace_pack(const char *path, FILE *out, int level);

#endif
