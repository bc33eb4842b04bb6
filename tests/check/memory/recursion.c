// The race is deep in a recursion.
// EXPECT: data-race LEAF/write LEAF
#include "../twin.h"

static int leaves;

static void walk(int depth)
{
    if (depth == 0) {
        FIX(LOCK());
        leaves++; // LEAF
        FIX(UNLOCK());
        return;
    }
    walk(depth - 1);
    walk(depth - 1);
}

static void *work(void *arg)
{
    walk(4);
    return arg;
}

int main(void)
{
    run_two(work, work);
    return leaves;
}
