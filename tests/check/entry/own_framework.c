// A framework that nobody knows: test functions are tried by themselves when main does not reach them.
// EXPECT: data-race WORK/write WORK
// STATUS: candidate
#include "../twin.h"

extern int framework_run(int argc, char **argv, void (*const *tests)(void));

static int counter;

static void *work(void *arg)
{
    FIX(LOCK());
    counter++; // WORK
    FIX(UNLOCK());
    return arg;
}

static void test_counts(void)
{
    run_two(work, work);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(void) = {test_counts, NULL};
    return framework_run(argc, argv, tests);
}
