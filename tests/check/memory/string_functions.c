// strcpy writes what strlen reads.
// EXPECT: data-race COPY LENGTH
#include "../twin.h"

#include <string.h>

static char name[16] = "none";
static size_t length;

static void *set(void *arg)
{
    FIX(LOCK());
    strcpy(name, "somebody"); // COPY
    FIX(UNLOCK());
    return arg;
}

static void *get(void *arg)
{
    FIX(LOCK());
    length = strlen(name); // LENGTH
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(set, get);
    return (int)length;
}
