/*
 * bare_futex.h: futex calls that gcc's OpenMP library makes by an instruction of its own, so that
 * no hook of libc's functions sees them. For an engine that decides who runs: it takes them over.
 */
#ifndef SN_RUNTIME_BARE_FUTEX_H
#define SN_RUNTIME_BARE_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* Where the program has called the library; 0: nowhere, the thread is one of the library's own. */
extern __thread uintptr_t sn_bare_futex_caller __attribute__((tls_model("initial-exec")));

/* From here on; before main, when the libraries that the program is linked with are there. */
void sn_bare_futex_begin(void);
/* Whether the library's calls are taken over: at the latest now, if it came with dlopen. */
bool sn_bare_futex_is_followed(void);

/* For the stubs, see bare_futex_entry.S. */
long sn_bare_futex(const long a[6], uintptr_t stub, long number)
    __attribute__((visibility("hidden")));

#endif
