/* hybrid.h: what the hybrid engine's files share beside the subjects' own headers. */
#ifndef SN_HYBRID_HYBRID_H
#define SN_HYBRID_HYBRID_H

#include <stddef.h>
#include <stdint.h>

#include "core/thread.h"

enum { SN_FILTER_NONE, SN_FILTER_SPAN, SN_FILTER_TREE }; /* sn_opt.filter */

/* A range access at a known context, inside the engine. */
void sn_hybrid_walk(struct sn_thread *t, uintptr_t addr, size_t size, uint32_t where, unsigned kind);

#endif
