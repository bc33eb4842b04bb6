// What was done before creation is known to the thread, what comes later is not.
// EXPECT: data-race LATE/write READ/read
#include "../twin.h"

static int setting, seen;

static void *work(void *arg)
{
    seen = setting; // READ
    return arg;
}

int main(void)
{
    pthread_t t;
    FIX(setting = 1);
    pthread_create(&t, NULL, work, NULL);
    BUG(setting = 1); // LATE
    pthread_join(t, NULL);
    return seen;
}
