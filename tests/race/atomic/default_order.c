// _Atomic operators are sequentially consistent; a volatile flag is not atomic at all.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// EXPECT: data-race FLAG1/write FLAG2/read
// EXPECT-OBJECT: global flag
#include "invisible.h"

int data, seen;
PICK(volatile, _Atomic) long flag;

static void first(void)
{
    data = 1;  // RACE1
    flag += 2; // FLAG1
}

static void second(void)
{
    if (flag)        // FLAG2
        seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
