/*
 * instrumented.h: does an address belong to a module that was compiled with -fsanitize=thread?
 * Library calls that touch memory count as accesses only when instrumented code makes them: the
 * locks and atomics inside other libraries are not seen, so their memory accesses must not be
 * either.
 */
#ifndef SN_RUNTIME_INSTRUMENTED_H
#define SN_RUNTIME_INSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>

/* The last two modules that the calling thread asked about, one of each kind. */
struct sn_code_range {
    uintptr_t low, high;
};
extern __thread struct sn_code_range sn_last_instrumented, sn_last_plain;
extern uint32_t sn_instrumented_age; /* changes when a module was unloaded */
extern __thread uint32_t sn_last_age;

extern int sn_any_instrumented; /* some module was, and has said so by __tsan_init() */

bool sn_instrumented_slow(uintptr_t pc);
void sn_instrumented_forget(void); /* a module was unloaded: its addresses may be another's */

static inline bool sn_instrumented(uintptr_t pc)
{
    if (sn_last_age == sn_instrumented_age) {
        if (pc - sn_last_instrumented.low < sn_last_instrumented.high - sn_last_instrumented.low)
            return true;
        if (pc - sn_last_plain.low < sn_last_plain.high - sn_last_plain.low)
            return false;
    }
    return sn_instrumented_slow(pc);
}

#endif
