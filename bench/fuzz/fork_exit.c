/* fork_exit.c N: N times fork and exit, one after the other: what an execution costs at least. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    for (int i = argc > 1 ? atoi(argv[1]) : 1000; i > 0; i--) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        waitpid(pid, NULL, 0);
    }
    return 0;
}
