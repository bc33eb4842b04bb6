// A static local is initialised once, in order for all; without the guard it is not.
// FLAGS: -O1
// EXPECT: data-race RACE1 RACE1
#include "invisible.h"

static int calls;

static int expensive()
{
    return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

#ifdef FIXED
static int &instance()
{
    static int value = expensive();
    return value;
}
#else
static int value;
static bool made;

static int &instance()
{
    if (!made) {             // RACE1
        value = expensive(); // RACE1
        made = true;         // RACE1
    }
    return value;
}
#endif

static int sum;
static void both()
{
    __atomic_fetch_add(&sum, instance(), __ATOMIC_RELAXED); // RACE1
}

int main()
{
    run_in_order(both, both);
    return sum - 2;
}
