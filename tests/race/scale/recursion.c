// Recursion 100,000 deep, a race at the bottom, another after the return.
// EXPECT: data-race DEEP/write RACE2/write
// EXPECT-OBJECT: global deep
// EXPECT: data-race AFTER/write RACE3/write
// EXPECT-OBJECT: global after
// EXPECT-STACK: AFTER first
// PEER: tsan cannot: keeps 64 K frames and crashes
#include "invisible.h"

int deep, after;

__attribute__((noinline)) static int dive(int depth)
{
    if (depth == 0) {
        deep = 1; // DEEP
        return 0;
    }
    int below = dive(depth - 1);
    hidden_count(0);
    return below + 1;
}

static void *first(void *arg)
{
    int reached = dive(100000);
    after = reached; // AFTER
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 64 << 20);
    pthread_create(&t, &attr, first, NULL);
    hidden_wait(0);
    FIX(pthread_join(t, NULL));
    deep = 2;  // RACE2
    after = 2; // RACE3
    BUG(pthread_join(t, NULL));
    return 0;
}
