// --entry begins somewhere else than at main.
// EXPECT: data-race WORK/write WORK
// OPTIONS: --entry serve
#include "../twin.h"

static int requests;

static void *work(void *arg)
{
    FIX(LOCK());
    requests++; // WORK
    FIX(UNLOCK());
    return arg;
}

void serve(void)
{
    run_two(work, work);
}

int main(void)
{
    return 0;
}
