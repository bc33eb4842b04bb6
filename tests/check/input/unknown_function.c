// A function that nobody knows decides: what is found rests on it.
// EXPECT: data-race WORK/write WORK
// STATUS: candidate
#include "../twin.h"

extern int library_option(const char *name);

static int n;

static void *work(void *arg)
{
    FIX(LOCK());
    if (library_option("count"))
        n++; // WORK
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
