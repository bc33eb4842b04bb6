/*
 * limits.c: narrow limits of the shell, see limits.h.
 *
 * The stack is changed, not its limit: a hard limit cannot be raised, and the program under test is
 * to have the limit that it would have without snag. SIGXFSZ gets a handler and is not ignored,
 * because a handler is gone after exec and what is ignored stays so.
 */
#include "cmd/limits.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "cmd/command.h"
#include "cmd/say.h"
#include "core/runfile.h"

enum {
    ENOUGH = 1 << 20, /* paths and buffers lie on the stack; none of them is near this */
    ROOMY = 8 << 20,
};

static volatile sig_atomic_t was_cut;

static struct {
    int (*body)(int argc, char **argv);
    int argc, status;
    char **argv;
    ucontext_t here;
} call;

static void on_file_limit(int sig)
{
    (void)sig;
    was_cut = 1;
}

static void watch_file_limit(void)
{
    struct sigaction now, ours = {.sa_handler = on_file_limit, .sa_flags = SA_RESTART};
    if (sigaction(SIGXFSZ, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &ours, NULL);
}

static unsigned long long limit_of(int which)
{
    struct rlimit limit;
    return getrlimit(which, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

static void call_body(void)
{
    call.status = call.body(call.argc, call.argv);
}

/* False: there is no memory for it, so body has not run. Threads that libraries start get as much.
 */
static bool run_on_roomy_stack(void)
{
    ucontext_t there;
    pthread_attr_t threads;
    void *stack = mmap(NULL, ROOMY, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&there))
        return false;
    if (pthread_attr_init(&threads) == 0 && pthread_attr_setstacksize(&threads, ROOMY) == 0)
        pthread_setattr_default_np(&threads);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = ROOMY;
    there.uc_link = &call.here;
    makecontext(&there, call_body, 0);
    return swapcontext(&call.here, &there) == 0;
}

int sn_limits_run(int (*body)(int argc, char **argv), int argc, char **argv)
{
    call.body = body;
    call.argc = argc;
    call.argv = argv;
    watch_file_limit();
    if (limit_of(RLIMIT_STACK) >= ENOUGH || !run_on_roomy_stack())
        call_body();
    if (was_cut)
        sn_say("a file that snag wrote was cut at %llu bytes, the limit on the size of files: "
               "ulimit -f unlimited, and run again",
               limit_of(RLIMIT_FSIZE));
    return call.status;
}

int sn_limits_check(void)
{
    if (limit_of(RLIMIT_FSIZE) >= SN_RUN_HEADER_BYTES)
        return 0;
    return sn_fail("files may have no more than %llu bytes here, which is too little for what is "
                   "found: ulimit -f unlimited, and run again",
                   limit_of(RLIMIT_FSIZE));
}
