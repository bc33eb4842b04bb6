/*
 * real.h: the functions behind the interposers.
 *
 * sn_real_init() fills the table once, before anything else of the runtime. A hook that may run
 * earlier (the loader allocates before constructors run) calls through sn_pass(), which fills it
 * on demand. A function that this libc does not have answers ENOSYS.
 */
#ifndef SN_RUNTIME_REAL_H
#define SN_RUNTIME_REAL_H

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>

#include "core/sys.h"

struct sn_real {
#define SN_REAL(name) __typeof__(name) *name;
#define SN_REAL_V(name, version) __typeof__(name) *name;
#include "runtime/real.def"
#undef SN_REAL
#undef SN_REAL_V
};

extern struct sn_real sn_real;

void sn_real_init(void); /* idempotent; never allocates */
size_t sn_real_static_tls_bytes(void); /* of a thread, without the control block; 0: not known */

#define sn_pass(name)                                                                              \
    (SN_LIKELY(sn_real.name != 0) ? sn_real.name : (sn_real_init(), sn_real.name))

#endif
