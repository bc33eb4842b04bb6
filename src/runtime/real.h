/*
 * real.h: the functions behind the interposers.
 *
 * sn_real_init() fills the table once, before anything else of the runtime. A hook that may run
 * earlier (the loader allocates before constructors run) calls through sn_pass(), which fills it
 * on demand. A function that this libc does not have answers ENOSYS.
 */
#ifndef SN_RUNTIME_REAL_H
#define SN_RUNTIME_REAL_H

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/sys.h"

/* Declared nowhere. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

/* The checked forms that _FORTIFY_SOURCE makes of library calls: no header declares them. */
void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vprintf_chk(int, const char *, va_list);
/* What <stdio.h> makes of scanf by the language's version. */
int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc99_vscanf(const char *, va_list);
int __isoc99_vsscanf(const char *, const char *, va_list);
int __isoc23_vfscanf(FILE *, const char *, va_list);
int __isoc23_vscanf(const char *, va_list);
int __isoc23_vsscanf(const char *, const char *, va_list);

int __cxa_atexit(void (*)(void *), void *, void *);
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);

struct mallinfo sn_mallinfo(void); /* the shape of mallinfo(), which is deprecated */

struct sn_real {
#define SN_REAL(name) __typeof__(name) *name;
#define SN_REAL_V(name, version) __typeof__(name) *name;
#define SN_REAL_AS(name, other) __typeof__(other) *name;
#define SN_REAL_OPTIONAL(name) __typeof__(name) *name;
#include "runtime/real.def"
#undef SN_REAL
#undef SN_REAL_V
#undef SN_REAL_AS
#undef SN_REAL_OPTIONAL
};

extern struct sn_real sn_real SN_HIDDEN;

void sn_real_init(void); /* idempotent; never allocates */
/* Usable bytes of a heap block; 0 when the allocator does not say. */
size_t sn_real_usable_size(void *p);

/* malloc and its kin are libc's; but the program may have some that come before snag's. */
bool sn_real_malloc_is_libc(void);
/* What libc gives to free() comes to snag's. */
bool sn_real_free_is_ours(void);

enum sn_operator {
#define SN_OPERATOR(name) SN_OPERATOR_##name,
#include "runtime/operator.def"
#undef SN_OPERATOR
    SN_OPERATOR_COUNT
};
void *sn_real_operator(enum sn_operator op); /* null: no C++ library so far */

/* The same, also when one of these libraries was loaded out of sight (RTLD_LOCAL); when none is
 * there, the first is loaded. A null ends the list. */
void *sn_real_of_library(enum sn_operator op, const char *const *libraries);
bool sn_real_same_file(const void *a, const void *b); /* two functions of one library */
bool sn_real_operator_frees(
    enum sn_operator op); /* it is a C++ library's delete, which calls free() */

size_t sn_real_static_tls_bytes(void); /* of a thread, without the control block; 0: not known */

#define sn_pass(name) (SN_LIKELY(sn_real.name != 0) ? sn_real.name : (sn_real_init(), sn_real.name))

#endif
