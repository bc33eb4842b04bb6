// A constructor function starts a thread before main.
// EXPECT: data-race EARLY/write MAIN/write
#include "../twin.h"

static int n;
static pthread_t t;

static void *work(void *arg)
{
    n = 1; // EARLY
    return arg;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_create(&t, NULL, work, NULL);
}

int main(void)
{
    FIX(pthread_join(t, NULL));
    n = 2; // MAIN
    BUG(pthread_join(t, NULL));
    return n;
}
