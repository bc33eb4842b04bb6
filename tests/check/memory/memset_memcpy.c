// memset of a part that another thread copies from.
// EXPECT: data-race SET/write COPY/read
#include "../twin.h"

#include <string.h>

static char buffer[64], copy[32];

static void *set(void *arg)
{
    memset(buffer + PICK(16, 32), 1, 32); // SET
    return arg;
}

static void *get(void *arg)
{
    memcpy(copy, buffer, 32); // COPY
    return arg;
}

int main(void)
{
    run_two(set, get);
    return copy[0];
}
