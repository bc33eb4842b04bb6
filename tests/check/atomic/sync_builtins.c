// The old __sync functions.
// EXPECT: data-race PLAIN ADD
#include "../twin.h"

static int n;

static void *add(void *arg)
{
    for (int i = 0; i < 3; i++)
        __sync_fetch_and_add(&n, 1); // ADD
    return arg;
}

static void *other(void *arg)
{
    PICK(n++, __sync_add_and_fetch(&n, 1)); // PLAIN
    return arg;
}

int main(void)
{
    run_two(add, other);
    return n;
}
