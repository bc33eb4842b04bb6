/* clock.h: the time that the program sees, for other hooks. */
#ifndef SN_RUNTIME_CLOCK_H
#define SN_RUNTIME_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "core/thread.h"

/* Inside a hook: nanoseconds of that clock, the gate's own if it has one. */
uint64_t sn_clock_now(struct sn_thread *t, clockid_t clock);

#endif
