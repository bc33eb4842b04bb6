/*
 * tail.h: the block that a recording program is filling, as a mapped file beside the trace. When the
 * program is gone, whatever ended it, trace/pack.c makes a whole block of it.
 */
#ifndef SN_TRACE_TAIL_H
#define SN_TRACE_TAIL_H

#include "trace/format.h"

#define SN_TRACE_RUN_PREFIX "trace." /* in the run folder: trace.PID.N */
#define SN_TRACE_TAIL_SUFFIX ".tail"

struct sn_trace_tail {
    /* events << 32 | bytes of `block` that are whole records, its head's room included; changed in
     * one step, so that it is right whenever the program ends */
    uint64_t filled;
    uint64_t first;
    uint32_t closed; /* the trace has its last block: nothing is left here */
    uint32_t pad;
    uint8_t block[SN_BLOCK_BYTES];
};

#endif
