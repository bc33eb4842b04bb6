/*
 * graph.h: the object graph of the trace (trace.h, SN_EV_NONE): which block has a pointer to which.
 * A block is logged when a call into unrecorded code can first reach it; afterwards the recorded
 * writes bring it up to date, and what unrecorded code may have written is looked at again.
 */
#ifndef SN_ENGINE_RECORD_GRAPH_H
#define SN_ENGINE_RECORD_GRAPH_H

#include "objects.h"
#include "trace/trace.h"

/* Logs what is reachable from the object and not logged yet, or has changed unseen. */
void sn_graph_reach(const struct sn_object_at *from);
/* The same for the object that an argument points into, if it does. */
bool sn_graph_root(uintptr_t pointer, struct sn_trace_range *out);
/* Without the graph: adds every block that is reachable to out[n…most - 1]. The new n; UINT32_MAX
 * when there is not enough room. */
uint32_t sn_graph_all(const struct sn_object_at *from, struct sn_trace_range *out, uint32_t n,
                      uint32_t most);
void sn_graph_next(void);             /* a new call: blocks count as not seen again */
void sn_graph_forget(uintptr_t addr); /* the block is given back */
extern uint32_t sn_graph_live;        /* 1: something was logged */
void sn_graph_pointer_written(uintptr_t addr, uint64_t value);
void sn_graph_forget_hints(void); /* modules came or went */
void sn_graph_forked(void);

/* A recorded write of eight bytes: a logged block may point to one that is not. */
static inline void sn_graph_written(uintptr_t addr, uint64_t value)
{
    if (sn_graph_live && sn_objects_maybe(value))
        sn_graph_pointer_written(addr, value);
}

#endif
