// Floating point is shared like anything else.
// EXPECT: data-race SUM/write SUM
#include "../twin.h"

static double sum;

static void *work(void *arg)
{
    for (int i = 1; i <= 3; i++) {
        FIX(LOCK());
        sum += 1.0 / i; // SUM
        FIX(UNLOCK());
    }
    return arg;
}

int main(void)
{
    run_two(work, work);
    return sum > 3.6 && sum < 3.7 ? 0 : 1;
}
