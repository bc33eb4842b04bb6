/* processors.c: threads see the processors that the program was given, however they ask: by libc, or by a system
 * call, as clang's OpenMP does before it decides how many threads there are to be. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int wrong;

static void *ask(void *arg)
{
    cpu_set_t by_libc, by_kernel, one, now;
    (void)arg;
    CPU_ZERO(&by_kernel);
    CPU_ZERO(&one);
    CPU_ZERO(&now);
    if (sched_getaffinity(0, sizeof by_libc, &by_libc) ||
        syscall(SYS_sched_getaffinity, 0, sizeof by_kernel, &by_kernel) <= 0 || !CPU_EQUAL(&by_libc, &by_kernel))
        wrong = 1;
    int cpu = 0;
    while (!CPU_ISSET(cpu, &by_libc))
        cpu++;
    CPU_SET(cpu, &one);
    if (syscall(SYS_sched_setaffinity, 0, sizeof one, &one) != 0 ||
        syscall(SYS_sched_getaffinity, 0, sizeof now, &now) <= 0 || !CPU_EQUAL(&one, &now))
        wrong = 1;
    if (syscall(SYS_sched_setaffinity, 0, sizeof one, NULL) != -1 || errno != EFAULT)
        wrong = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    pthread_join(thread, NULL);
    return wrong;
}
