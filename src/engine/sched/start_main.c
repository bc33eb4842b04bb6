/* start_main.c: the moment at which main begins, after all constructors. */
#include "scheduler.h"

#include "core/sys.h"
#include "runtime/real.h"

static int (*program)(int argc, char **argv, char **env);

uintptr_t sn_sched_main(void)
{
    return (uintptr_t)program;
}

/* The compiler makes a jump of the call, so that no frame of snag's is below the program's. */
static int begin(int argc, char **argv, char **env)
{
    sn_sched_at_main();
    return program(argc, argv, env);
}

SN_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                                void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                                void *stack_end)
{
    program = main;
    return sn_pass(__libc_start_main)(begin, argc, argv, init, fini, rtld_fini, stack_end);
}
