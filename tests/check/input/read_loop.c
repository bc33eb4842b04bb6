// Bytes from a file go through two threads.
// EXPECT: data-race FILL SUM/read
#include "../twin.h"

#include <unistd.h>

static char buffer[16];
static int total, got;

static void *sum(void *arg)
{
    FIX(LOCK());
    for (int i = 0; i < 16; i++)
        total += buffer[i]; // SUM
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, sum, NULL);
    FIX(LOCK());
    got = (int)read(0, buffer, sizeof buffer); // FILL
    FIX(UNLOCK());
    pthread_join(t, NULL);
    return got > 0 ? total : 0;
}
