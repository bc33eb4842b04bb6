// volatile is no synchronisation.
// EXPECT: data-race RACE1/write/4 RACE2/read/4
// EXPECT-OBJECT: global flag
#include "invisible.h"

#ifdef FIXED
_Atomic int flag;
#else
volatile int flag;
#endif
int seen;

static void first(void)
{
    flag = 1; // RACE1
}

static void second(void)
{
    seen = flag; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
