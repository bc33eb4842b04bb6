/*
 * sanitizer_interface.c: what sanitizers' headers offer to programs beside tsan_interface.h, and what programs call when
 * they find themselves compiled with -fsanitize=thread: linux_syscall_hooks.h for system calls that they make without
 * libc (libuv closes descriptors so), and some of common_interface_defs.h.
 *
 * A descriptor carries happens-before as it does in io.c. Memory that the kernel reads and writes is not told.
 */
#include <stddef.h>
#include <stdint.h>

#include "core/sys.h"
#include "runtime/fd.h"
#include "runtime/hook.h"

enum moment { GIVES, GETS, CLOSES };

SN_NOINLINE static void tell(enum moment what, long fd, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    if (what == GETS)
        sn_fd_acquire(t, (int)fd, pc);
    else
        sn_fd_release(t, (int)fd, pc);
    if (what == CLOSES)
        sn_fd_forget((int)fd);
    sn_hook_leave(t);
}

#define SN_PRE(name) __sanitizer_syscall_pre_impl_##name
#define SN_POST(name) __sanitizer_syscall_post_impl_##name
/* The arguments that are not looked at may stay where the caller put them. */
#define SN_HOOK(name, before, after)                                                                                   \
    SN_EXPORT void SN_PRE(name)(long fd);                                                                              \
    SN_EXPORT void SN_PRE(name)(long fd)                                                                               \
    {                                                                                                                  \
        (void)fd;                                                                                                      \
        before;                                                                                                        \
    }                                                                                                                  \
    SN_EXPORT void SN_POST(name)(long result, long fd);                                                                \
    SN_EXPORT void SN_POST(name)(long result, long fd)                                                                 \
    {                                                                                                                  \
        (void)result, (void)fd;                                                                                        \
        after;                                                                                                         \
    }

#define NOTHING (void)0
#define SN_OTHER(name) SN_HOOK(name, NOTHING, NOTHING)
#define SN_GIVES(name) SN_HOOK(name, tell(GIVES, fd, SN_CALLER), NOTHING)
#define SN_GETS(name) SN_HOOK(name, NOTHING, if (result > 0) tell(GETS, fd, SN_CALLER))
#include "runtime/sanitizer_syscall.def"
SN_HOOK(close, tell(CLOSES, fd, SN_CALLER), NOTHING)

/* Reports are not printed in the program, and snag never ends it: there is no file to name, no last call to make. */
SN_EXPORT void __sanitizer_set_report_path(const char *path);
SN_EXPORT void __sanitizer_set_report_path(const char *path)
{
    (void)path;
}

SN_EXPORT void __sanitizer_set_report_fd(void *fd);
SN_EXPORT void __sanitizer_set_report_fd(void *fd)
{
    (void)fd;
}

SN_EXPORT void __sanitizer_set_death_callback(void (*last)(void));
SN_EXPORT void __sanitizer_set_death_callback(void (*last)(void))
{
    (void)last;
}
