// main ends before the threads are started: the function that starts them is tried by itself.
// EXPECT: data-race WORK/write WORK
// STATUS: candidate
#include "../twin.h"

extern int configured(void);
static int requests;

static void *work(void *arg)
{
    FIX(LOCK());
    requests++; // WORK
    FIX(UNLOCK());
    return arg;
}

static void serve(int port)
{
    if (port > 0)
        run_two(work, work);
}

int main(void)
{
    for (int i = 0; i < 40; i++)
        if (configured() != 123456 + i)
            return 1;
    serve(80);
    return 0;
}
