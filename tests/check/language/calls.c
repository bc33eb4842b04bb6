// Function pointers, recursion, callbacks, longjmp, qsort and bsearch.
// EXPECT: misuse END
#include "verify.h"
#include <setjmp.h>

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static jmp_buf back;
static int depth;

static void deep(int n)
{
    if (n == 0)
        longjmp(back, 7);
    depth++;
    deep(n - 1);
    depth = -1;
}

static int add(int a, int b)
{
    return a + b;
}
static int sub(int a, int b)
{
    return a - b;
}

int main(void)
{
    int (*const op[])(int, int) = {add, sub};
    VERIFY(op[0](5, 3) == 8 && op[1](5, 3) == 2 && (depth ? add : sub)(1, 1) == 0);
    VERIFY(ackermann(2, 3) == 9);
    int n[100];
    for (int i = 0; i < 100; i++)
        n[i] = (i * 37) % 100;
    qsort(n, 100, sizeof n[0], compare);
    for (int i = 0; i < 100; i++)
        VERIFY(n[i] == i);
    int key = 63, *found = bsearch(&key, n, 100, sizeof n[0], compare);
    VERIFY(found == &n[63]);
    key = 100;
    VERIFY(bsearch(&key, n, 100, sizeof n[0], compare) == NULL);
    switch (setjmp(back)) {
    case 0:
        deep(5);
        VERIFY(0);
    case 7:
        VERIFY(depth == 5);
    }
    REACHED(); // END
    return 0;
}
