// Two threads count in one variable.
// EXPECT: data-race RACE/write RACE
// EXPECT-OBJECT: global counter
#include "../twin.h"

int counter;

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        FIX(LOCK());
        counter++; // RACE
        FIX(UNLOCK());
    }
    return arg;
}

int main(void)
{
    run_two(work, work);
    return counter;
}
