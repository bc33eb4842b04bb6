/* capture.c: running a helper program, see capture.h. */
#include "cmd/capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/command.h"
#include "store/xalloc.h"

static void become(char *const *argv, int out, bool with_stderr)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(with_stderr ? out : nowhere, STDERR_FILENO);
    execvp(argv[0], argv);
    _exit(SN_EXIT_NOT_FOUND);
}

static char *read_all(int fd)
{
    FILE *in = fdopen(fd, "r");
    char *text = NULL;
    size_t cap = 0;
    if (!in || getdelim(&text, &cap, 0, in) < 0) {
        free(text);
        text = sn_xstrdup("");
    }
    if (in)
        fclose(in);
    return text;
}

int sn_capture(char *const *argv, bool with_stderr, char **output)
{
    int fds[2], status = 0;
    pid_t pid = pipe2(fds, O_CLOEXEC) == 0 ? fork() : -1;
    if (pid < 0) {
        *output = sn_xstrdup("");
        return SN_EXIT_FAILED;
    }
    if (pid == 0)
        become(argv, fds[1], with_stderr);
    close(fds[1]);
    *output = read_all(fds[0]);
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
