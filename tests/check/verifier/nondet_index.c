// An input decides which element is touched; an assumption keeps the threads apart.
// EXPECT: data-race A/write B/write
#include "../twin.h"

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int cell[4], i, j;

static void *first(void *arg)
{
    cell[i] = 1; // A
    return arg;
}

static void *second(void *arg)
{
    cell[j] = 2; // B
    return arg;
}

int main(void)
{
    i = __VERIFIER_nondet_int();
    j = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 4 && j >= 0 && j < 4);
    FIX(__VERIFIER_assume(i != j));
    run_two(first, second);
    return cell[0];
}
