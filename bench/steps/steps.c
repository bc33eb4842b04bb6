/*
 * steps PROGRAM: how many instructions the program takes between two traps, by single steps; so no
 * load on the machine changes the answer. A trap is int3 with a name's address in rax; the second of
 * a pair ends the count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_name(pid_t pid, unsigned long at, char *name, size_t size)
{
    size_t n = 0;
    for (; n + sizeof(long) < size; n += sizeof(long)) {
        long word = ptrace(PTRACE_PEEKDATA, pid, at + n, 0);
        memcpy(name + n, &word, sizeof word);
        if (memchr(&word, 0, sizeof word))
            return;
    }
    name[n] = '\0';
}

/* Stopped at a trap: steps to the next one. */
static long count_steps(pid_t pid, unsigned long name_at)
{
    struct user_regs_struct regs;
    int status;
    for (long steps = 0;; steps++) {
        if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) != 0 || waitpid(pid, &status, 0) < 0 ||
            !WIFSTOPPED(status))
            return -1;
        ptrace(PTRACE_GETREGS, pid, 0, &regs);
        long code = ptrace(PTRACE_PEEKTEXT, pid, regs.rip - 1, 0);
        if (steps && (code & 0xff) == 0xcc && regs.rax == name_at)
            return steps - 1;
    }
}

static int watch(pid_t pid)
{
    struct user_regs_struct regs;
    int status;
    while (waitpid(pid, &status, 0) >= 0 && WIFSTOPPED(status)) {
        int signal = WSTOPSIG(status);
        if (signal == SIGTRAP && ptrace(PTRACE_GETREGS, pid, 0, &regs) == 0 &&
            (ptrace(PTRACE_PEEKTEXT, pid, regs.rip - 1, 0) & 0xff) == 0xcc) {
            char name[128] = "";
            read_name(pid, regs.rax, name, sizeof name);
            printf("%-44s %6ld\n", name, count_steps(pid, regs.rax));
        }
        ptrace(PTRACE_CONT, pid, 0, signal == SIGTRAP ? 0 : signal);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: steps PROGRAM [ARGS…]\n");
        return 2;
    }
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    return pid < 0 ? 2 : watch(pid);
}
