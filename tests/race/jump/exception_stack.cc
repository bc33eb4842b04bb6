// After an exception out of deep calls the stack of an access is that of the handler.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-STACK: RACE1 after_catch first
// EXPECT-STACK: RACE2 second
// FLAGS: -fno-inline -fno-optimize-sibling-calls
#include "invisible.h"

int value;
static volatile int sink;

static void dive(int depth)
{
    if (depth == 0)
        throw 5;
    dive(depth - 1);
    sink = 1;
}

extern "C" {
void after_catch()
{
    BUG(value = 1;) // RACE1
    sink = 2;
}

void first(void)
{
    try {
        dive(50);
    } catch (int) {
        after_catch();
    }
    sink = 3;
}

void second(void)
{
    value = 2; // RACE2
}
}

int main()
{
    run_in_order(first, second);
    return 0;
}
