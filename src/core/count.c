/* count.c: where counters live until a run file takes them. */
#include "core/count.h"

static uint64_t own[SN_C_COUNT];
uint64_t *sn_counters = own;
