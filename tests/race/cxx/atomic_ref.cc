// std::atomic_ref on a plain object: while it is used so, nothing else may touch it.
// FLAGS: -std=c++20
// EXPECT: data-race RACE1/atomic RACE2/read
// EXPECT-OBJECT: global number
#include <atomic>
#include "invisible.h"

int number, seen;

static void first()
{
    std::atomic_ref<int>(number).fetch_add(1); // RACE1
}

static void second()
{
    seen = PICK(number, std::atomic_ref<int>(number).load()); // RACE2
}

int main()
{
    run_in_order(first, second);
    return seen - 1;
}
