/*
 * init.c: the runtime's beginning and end.
 *
 * Beginning: the library's constructor (it is preloaded, so before all others) finds the real
 * functions, reads the options, opens the run file and makes the main thread known. An engine that
 * needs instrumented code sleeps until some module calls __tsan_init: hooks pass through, so that a
 * shell or a compiler started by a watched program pays nothing.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <string.h>

#include "core/ctx.h"
#include "core/count.h"
#include "core/engine.h"
#include "core/options.h"
#include "runtime/alloc.h"
#include "runtime/heap.h"
#include "runtime/hook.h"
#include "runtime/instrumented.h"
#include "runtime/draft.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/redirect.h"
#include "runtime/sink.h"
#include "runtime/thread_hooks.h"

int sn_ready;

static struct sn_thread *main_thread;
static int initialised;
static const char *environment;
static int active; /* SNAG_RUN_DIR was there: snag runs this program */
const char *sn_run_dir;

extern char **environ;

enum { ENVIRONMENT = 1 << 20 };

/* The environment as the kernel has it: libc may not have been initialised yet. */
static const char *read_environment(void)
{
    char *all = sn_map(ENVIRONMENT);
    long fd = sn_sys3(SYS_open, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0);
    long n, used = 0;
    if (!all || fd < 0)
        return "";
    while (used < ENVIRONMENT - 2 &&
           (n = sn_sys3(SYS_read, fd, all + used, ENVIRONMENT - 2 - used)) > 0)
        used += n;
    sn_sys1(SYS_close, fd);
    return all;
}

/* In a block of strings that ends with an empty one. */
static const char *variable(const char *all, const char *name)
{
    size_t n = strlen(name);
    for (; *all; all += strlen(all) + 1)
        if (strncmp(all, name, n) == 0 && all[n] == '=')
            return all + n + 1;
    return 0;
}

/* The main thread's stack: from here down to where its limit lets it grow. */
static void main_stack(uintptr_t *low, uintptr_t *high)
{
    struct rlimit limit = {0, 0};
    uintptr_t top = environ ? (uintptr_t)*environ : 0, here = (uintptr_t)&limit;
    if (top < here || top - here > (64u << 20))
        top = here + 65536;
    sn_sys2(SYS_getrlimit, RLIMIT_STACK, &limit);
    uintptr_t size = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (1ull << 30)
                         ? 8u << 20
                         : limit.rlim_cur;
    *high = top;
    *low = here - size > here ? 0 : here - size;
}

static void start(void)
{
    uintptr_t low, high;
    struct sn_event ev = {.op = SN_EV_START};
    main_stack(&low, &high);
    sn_thread_on_new = sn_engine_thread_new;
    sn_thread_on_gone = sn_engine_thread_gone;
    sn_engine_init();
    main_thread = sn_thread_new(0, 0);
    if (!main_thread)
        return;
    sn_thread_attach(main_thread, low, high);
    sn_modules_refresh();
    sn_ctx_is_code = sn_modules_loaded;
    sn_engine_event(main_thread, &ev);
    sn_adopt_note_existing();
    sn_heap_begin(variable(environment, "GLIBC_TUNABLES"),
                  variable(environment, "MALLOC_PERTURB_") || variable(environment, "MALLOC_CHECK_"));
    sn_alloc_begin();
    sn_ready = 1;
    sn_redirect_init(sn_run_dir);
}

void sn_runtime_init(void)
{
    if (initialised)
        return;
    initialised = 1;
    sn_real_init();
    if (strcmp(sn_engine_name, "none") == 0)
        return;
    const char *all = environment = read_environment();
    const char *options = variable(all, "SNAG_RT");
    sn_run_dir = variable(all, "SNAG_RUN_DIR");
    if (!sn_run_dir)
        return;
    active = 1;
    sn_options_parse(&sn_opt, options ? options : "");
    sn_sink_open(sn_run_dir, sn_engine_name);
    if (!sn_engine_needs_code)
        start();
}

void sn_runtime_instrumented(void)
{
    sn_any_instrumented = 1;
    sn_runtime_init();
    if (!active)
        return;
    sn_sink_instrumented();
    if (!main_thread)
        start();
}

void sn_runtime_forked(struct sn_thread *self)
{
    sn_sink_forked();
    sn_modules_forked();
    if (!sn_ready)
        return;
    sn_thread_forked(self);
    sn_draft_forked();
    sn_engine_forked(self);
}

void sn_runtime_exit(void)
{
    static int done SN_HOT;
    if (!active || __atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
        return;
    if (sn_ready)
        sn_engine_exit();
    sn_sink_state(SN_RUN_EXITED);
}

void sn_runtime_stop(int status)
{
    sn_runtime_exit();
    sn_sink_state(SN_RUN_STOPPED);
    for (;;)
        sn_sys1(SYS_exit_group, status);
}

__attribute__((constructor(101))) static void begin(void)
{
    sn_runtime_init();
}

__attribute__((destructor(101))) static void end(void)
{
    sn_runtime_exit();
}
