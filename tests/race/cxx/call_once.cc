// std::call_once, also when the first attempt throws.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global table
// PEER: tsan cannot: hangs when the initialiser throws
#include <mutex>
#include <stdexcept>
#include "invisible.h"

int table, attempts, seen;
std::once_flag once;

static void initialise()
{
    if (attempts++ == 0)
        throw std::runtime_error("not yet");
    table = 7; // RACE1
}

static void first()
{
    for (int i = 0; i < 2; i++) {
        try {
            std::call_once(once, initialise);
        } catch (std::runtime_error &) {
        }
    }
}

static void second()
{
    FIX(std::call_once(once, initialise));
    seen = table; // RACE2
}

int main()
{
    run_in_order(first, second);
    return seen - 7;
}
