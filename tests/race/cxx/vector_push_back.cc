// Two threads push into one vector; the stack shows the caller's line below the library's.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global numbers
// ALLOW: data-race RACE1 RACE2
#include <mutex>
#include <vector>
#include "invisible.h"

std::vector<int> numbers;
std::mutex mutex;

static void first()
{
    FIX(std::lock_guard<std::mutex> hold(mutex));
    numbers.push_back(1); // RACE1
}

static void second()
{
    FIX(std::lock_guard<std::mutex> hold(mutex));
    numbers.push_back(2); // RACE2
}

int main()
{
    numbers.reserve(10);
    run_in_order(first, second);
    return (int)numbers.size() - 2;
}
