// The tests of a Unity program, run by the library's runner.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

void UnityBegin(const char *file);
int UnityEnd(void);
void UnityDefaultTestRun(void (*f)(void), const char *name, int line);

static int *counter;

void setUp(void)
{
    counter = calloc(1, sizeof *counter);
}

void tearDown(void)
{
    free(counter);
}

static void *work(void *arg)
{
    FIX(LOCK());
    ++*counter; // WORK
    FIX(UNLOCK());
    return arg;
}

static void counts(void)
{
    run_two(work, work);
}

int main(void)
{
    UnityBegin(__FILE__);
    UnityDefaultTestRun(counts, "counts", __LINE__);
    return UnityEnd();
}
