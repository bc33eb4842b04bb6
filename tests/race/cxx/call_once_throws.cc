// An initialiser that throws comes before the next attempt, whichever thread makes it; what its thread
// does after the exception does not.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global late
// PEER: tsan cannot: hangs when the initialiser throws
#include <mutex>
#include "invisible.h"

int attempts, late;
std::once_flag once;

static void initialise()
{
    if (attempts++ == 0) {
        FIX(late = 1);
        throw 1;
    }
    late = 2; // RACE2
}

static void first()
{
    try {
        std::call_once(once, initialise);
    } catch (int) {
        BUG(late = 1;) // RACE1
    }
}

static void second()
{
    std::call_once(once, initialise);
}

int main()
{
    run_in_order(first, second);
    return attempts - 2;
}
