// A race before exec of a program that is not instrumented is in the report as well.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global state
// EXPECT-STDOUT: done
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
    char *command[] = {(char *)"echo", (char *)"done", NULL};
    run_in_order(first, second);
    execvp("echo", command);
    return 1;
}
