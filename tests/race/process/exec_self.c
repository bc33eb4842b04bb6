// exec replaces the program; what it does afterwards is watched too.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global state
// EXPECT-STDOUT: after exec
#include <stdio.h>
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

int main(int argc, char **argv)
{
    if (argc == 1) {
        char *again[] = {argv[0], (char *)"again", NULL};
        execv("/proc/self/exe", again);
        return 1;
    }
    run_in_order(first, second);
    puts("after exec");
    return 0;
}
