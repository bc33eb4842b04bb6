// Atomic blocks of the verification competitions.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int n;

static void *work(void *arg)
{
    FIX(__VERIFIER_atomic_begin());
    n++; // WORK
    FIX(__VERIFIER_atomic_end());
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
