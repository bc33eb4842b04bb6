// A child of fork starts threads that race; the parent does nothing wrong.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global state
// EXPECT-STDOUT: child 0
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

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
    int status = 1;
    pid_t child = fork();
    if (!child) {
        run_in_order(first, second);
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("child %d\n", status);
    return 0;
}
