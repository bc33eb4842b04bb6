/* oracle.c: asking the oracle, see oracle.h. */
#include "cmd/oracle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/say.h"

static void become(const char *command, int status, const char *output)
{
    char number[16];
    int in = open(output ? output : "/dev/null", O_RDONLY | O_CLOEXEC);
    snprintf(number, sizeof number, "%d", status);
    setenv("SNAG_STATUS", number, 1);
    setenv("SNAG_OUTPUT", output ? output : "", 1);
    if (in >= 0)
        dup2(in, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* stdout is the program's */
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

int sn_oracle(const char *command, int status, const char *output, bool *correct)
{
    int end = 0;
    *correct = status == 0;
    if (!command)
        return 0;
    pid_t child = fork();
    if (child == 0)
        become(command, status, output);
    while (child > 0 && waitpid(child, &end, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || !WIFEXITED(end) || WEXITSTATUS(end) == 127)
        return sn_fail("the oracle '%s' could not be asked", command);
    *correct = WEXITSTATUS(end) == 0;
    return 0;
}
