// An exception unwinds many calls; the stacks of later reports are right.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global data
// EXPECT-STACK: RACE1 after first
#include <stdexcept>
#include "invisible.h"

int data, destroyed;

struct guard {
    ~guard()
    {
        destroyed++;
    }
};

__attribute__((noinline)) static void dive(int depth)
{
    guard g;
    if (depth == 0)
        throw std::runtime_error("bottom");
    dive(depth - 1);
    hidden_count(0);
}

__attribute__((noinline)) static void after()
{
    data = 1; // RACE1
    hidden_count(0);
}

static void first()
{
    for (int i = 0; i < 10; i++) {
        try {
            dive(20);
        } catch (std::runtime_error &) {
        }
    }
    after();
    hidden_count(0);
}

static void second()
{
    BUG(data = 2;) // RACE2
}

int main()
{
    run_in_order(first, second);
    return destroyed - 210;
}
