// qsort moves the elements of an array that another thread reads.
// EXPECT: data-race SORT/write READ/read
// EXPECT-OBJECT: global numbers
// EXPECT: data-race COMPARED/read WRITE/write
// EXPECT-OBJECT: global sorted
#include <stdlib.h>
#include "invisible.h"

int numbers[8] = {5, 2, 8, 1, 9, 3, 7, 4}, sorted[] = {1, 2, 3, 4}, rest[2];

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    int difference = *x;
    difference -= *y; // COMPARED
    return difference;
}

static void first(void)
{
    int wanted = 3;
    qsort(numbers, 8, sizeof(int), compare); // SORT
    rest[0] = bsearch(&wanted, sorted, 4, sizeof(int), compare) != NULL;
}

static void second(void)
{
    BUG(rest[1] = numbers[7];) // READ
    BUG(sorted[2] = 3;) // WRITE
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
