// A library: its functions are called from outside, in any order.
// EXPECT: data-race WORK/write GET
// ALLOW: data-race WORK/write WORK
// STATUS: candidate
#include "../twin.h"

static int jobs;
static pthread_t worker;

static void *work(void *arg)
{
    FIX(LOCK());
    jobs++; // WORK
    FIX(UNLOCK());
    return arg;
}

int pool_start(void)
{
    return pthread_create(&worker, NULL, work, NULL);
}

int pool_jobs(void)
{
    FIX(LOCK());
    int n = jobs; // GET
    FIX(UNLOCK());
    return n;
}
