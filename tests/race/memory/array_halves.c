// Two threads fill halves of an array; with the bug the halves overlap by one element.
// EXPECT: data-race RACE1/write/4 RACE2/write/4
// EXPECT-OBJECT: global table
#include "invisible.h"

enum { N = 1000 };
int table[N];

static void first(void)
{
    for (int i = 0; i < N / 2; i++)
        table[i] = i; // RACE1
}

static void second(void)
{
    for (int i = N / 2 - PICK(1, 0); i < N; i++)
        table[i] = i; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
