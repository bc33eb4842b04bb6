// snprintf into one buffer from two threads.
// EXPECT: data-race FORMAT FORMAT
#include "../twin.h"

#include <stdio.h>

static PICK(char, _Thread_local char) text[32];

static void *work(void *arg)
{
    for (int i = 0; i < 2; i++)
        snprintf(text, sizeof text, "%d %s", i, "x"); // FORMAT
    return arg;
}

int main(void)
{
    run_two(work, work);
    return 0;
}
