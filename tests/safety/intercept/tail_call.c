// EXPECT: box_use box_use
// OPTIONS: --contracts {dir}/own.contract
// LIBRARY:
// FLAGS: -foptimize-sibling-calls
// LINK-LIBRARY:
#include <stdio.h>

int box_use(int *box);

#ifdef LIBRARY
int box_use(int *box)
{
    return *box;
}
#else
#include "together.h"

static int box;

__attribute__((noinline)) static int jump(int *b)
{
    return box_use(b);
}

static void *use(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        jump(&box);
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(use, use, 0);
    puts("done");
    return 0;
}
#endif
