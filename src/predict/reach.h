/*
 * reach.h: the object graph of the program under test, as the trace tells it: which block points to
 * which (section 4.4.3 of the RDIT paper: logged once for each object, then kept current by the
 * recorded writes). From the pointer arguments of a call it gives D, all that the callee can reach.
 */
#ifndef SN_PREDICT_REACH_H
#define SN_PREDICT_REACH_H

#include <stdint.h>

#include "predict/arena.h"
#include "trace/trace.h"

struct sn_reach;

struct sn_reach *sn_reach_new(void);
void sn_reach_free(struct sn_reach *r);
/* A node as logged: ranges[0] is the block, the others its pointers (trace.h). */
void sn_reach_block(struct sn_reach *r, const struct sn_trace_range *ranges, uint32_t n);
/* A recorded write of a whole word: it may set or clear a pointer. */
void sn_reach_write(struct sn_reach *r, uint64_t addr, uint64_t value);
/* The memory is given back. */
void sn_reach_forget(struct sn_reach *r, uint64_t addr, uint64_t size);
/* Blocks reachable from the roots, sorted and joined; a root in no known block is one from now on,
 * without pointers. Returns their number; the array is in `a`. */
uint32_t sn_reach_walk(struct sn_reach *r, struct sn_arena *a, const struct sn_trace_range *roots,
                       uint32_t n, struct sn_trace_range **out);

#endif
