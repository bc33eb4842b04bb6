// An array is sorted while another thread reads it.
// EXPECT: data-race SORT READ/read
// ALLOW: data-race COMPARE READ
#include "../twin.h"

static int n[4] = {4, 3, 2, 1};
static int seen;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b; // COMPARE
}

static void *sort(void *arg)
{
    FIX(LOCK());
    qsort(n, 4, sizeof n[0], compare); // SORT
    FIX(UNLOCK());
    return arg;
}

static void *look(void *arg)
{
    FIX(LOCK());
    seen = n[0]; // READ
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(sort, look);
    return seen;
}
