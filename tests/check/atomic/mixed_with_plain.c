// An atomic counter that somebody reads plainly.
// EXPECT: data-race ADD/atomic READ/read
#include "../twin.h"

static int n, seen;

static void *add(void *arg)
{
    __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST); // ADD
    return arg;
}

static void *look(void *arg)
{
    BUG(seen = n); // READ
    FIX(seen = __atomic_load_n(&n, __ATOMIC_SEQ_CST));
    return arg;
}

int main(void)
{
    run_two(add, look);
    return seen;
}
