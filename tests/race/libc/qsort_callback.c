// qsort calls back: the comparison's own accesses are seen, with the caller's stack.
// EXPECT: data-race RACE1 RACE2/write
// EXPECT-OBJECT: global comparisons
#include <stdlib.h>
#include "invisible.h"

int comparisons;
int numbers[8] = {5, 2, 8, 1, 9, 3, 7, 4};

static int compare(const void *a, const void *b)
{
    BUG(comparisons++;) // RACE1
    return *(const int *)a - *(const int *)b;
}

static void first(void)
{
    qsort(numbers, 8, sizeof(int), compare);
}

static void second(void)
{
    comparisons = 0; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return numbers[0] - 1;
}
