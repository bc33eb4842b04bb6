// A byte inside an int: different sizes that overlap race, sizes that touch do not.
// EXPECT: data-race RACE1/write/4 RACE2/write/1
// EXPECT-OBJECT: global cell
#include "invisible.h"

union {
    int word[2];
    char byte[8];
} cell;

static void first(void)
{
    cell.word[0] = 1; // RACE1
}

static void second(void)
{
    cell.byte[PICK(3, 4)] = 1; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
