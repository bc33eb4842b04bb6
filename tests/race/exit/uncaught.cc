// An exception that nobody catches ends in abort.
// EXPECT: data-race RACE1 RACE2
// EXPECT-PROGRAM-EXIT: 134
// EXPECT-FIXED-EXIT: 134
#include <stdexcept>
#include "invisible.h"

int shared;

static void first()
{
    shared = 1; // RACE1
}

static void second()
{
    BUG(shared = 2;) // RACE2
    throw std::runtime_error("nobody catches this");
}

int main()
{
    run_in_order(first, second);
    return 0;
}
