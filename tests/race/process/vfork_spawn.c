// vfork, posix_spawn and system leave the parent's state alone.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global state
// EXPECT-STDOUT: 0 0 0
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

extern char **environ;
int state;

static void first(void)
{
    state = 1; // RACE1
}

static void second(void)
{
    BUG(state = 2;) // RACE2
}

int main(void)
{
    char *command[] = {(char *)"true", NULL};
    pid_t spawned;
    int status[3];
    pid_t child = vfork();
    if (!child) {
        execvp("true", command);
        _exit(1);
    }
    waitpid(child, &status[0], 0);
    posix_spawnp(&spawned, "true", NULL, NULL, command, environ);
    waitpid(spawned, &status[1], 0);
    status[2] = system("true");
    run_in_order(first, second);
    printf("%d %d %d\n", status[0], status[1], status[2]);
    return 0;
}
