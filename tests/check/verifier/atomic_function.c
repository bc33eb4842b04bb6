// A function whose name says that it is atomic.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#ifdef FIXED
#define ADD __VERIFIER_atomic_add
#else
#define ADD add
#endif
static int n;

void ADD(int k)
{
    n += k; // WORK
}

static void *work(void *arg)
{
    ADD(2);
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
