// The comparison function counts its calls.
// EXPECT: data-race COUNT/write COUNT
#include "../twin.h"

static int calls;

static int compare(const void *a, const void *b)
{
    FIX(LOCK());
    calls++; // COUNT
    FIX(UNLOCK());
    return *(const int *)a - *(const int *)b;
}

static void *sort(void *arg)
{
    int n[5] = {3, 1, 5, 2, 4};
    qsort(n, 5, sizeof n[0], compare);
    if (n[0] != 1 || n[4] != 5)
        abort();
    return arg;
}

int main(void)
{
    run_two(sort, sort);
    return calls;
}
