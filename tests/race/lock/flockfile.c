// The lock of a stream is a lock: taken by flockfile, tried, taken again by its holder.
// EXPECT: data-race COUNT COUNT
// EXPECT-OBJECT: global counter
#include <stdio.h>
#include "invisible.h"

int counter;
FILE *stream;

static void both(void)
{
    FIX(flockfile(stream));
    FIX(flockfile(stream));
    FIX(funlockfile(stream));
    counter++; // COUNT
    FIX(funlockfile(stream));
    if (ftrylockfile(stream) == 0)
        funlockfile(stream);
}

static void *count(void *arg)
{
    for (int i = 0; i < 100; i++) {
        flockfile(stream);
        ++*(int *)arg;
        funlockfile(stream);
    }
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t a, b;
    stream = fopen("/dev/null", "w");
    pthread_create(&a, NULL, count, &sum);
    pthread_create(&b, NULL, count, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    run_in_order(both, both);
    fclose(stream);
    return sum - 200;
}
