// strtok has a state that all threads share.
// EXPECT: thread-safety-violation A B
#include "../twin.h"

#include <string.h>

static void *first(void *arg)
{
    char text[] = "a b";
    FIX(LOCK());
    strtok(text, " "); // A
    FIX(UNLOCK());
    return arg;
}

static void *second(void *arg)
{
    char text[] = "c d";
    FIX(LOCK());
    strtok(text, " "); // B
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(first, second);
    return 0;
}
