/* heap.h: whether small blocks come from snag's own heap (core/small.h). */
#ifndef SN_RUNTIME_HEAP_H
#define SN_RUNTIME_HEAP_H

#include <stdbool.h>

/* Before the first block: decides. `tunables` is GLIBC_TUNABLES or null; `debugged`: the
 * environment asks libc's malloc for more than memory. */
void sn_heap_begin(const char *tunables, bool debugged);

#endif
