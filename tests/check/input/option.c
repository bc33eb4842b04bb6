// A command-line option decides whether the lock is taken.
// EXPECT: data-race WORK/write WORK
// STATUS: candidate
#include "../twin.h"

static int n, careful;

static void *work(void *arg)
{
    if (careful)
        LOCK();
    n++; // WORK
    if (careful)
        UNLOCK();
    return arg;
}

int main(int argc, char **argv)
{
    (void)argv;
    careful = PICK(argc > 1, argc > 0);
    run_two(work, work);
    return n;
}
