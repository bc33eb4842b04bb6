// EXPECT: shelf_put shelf_put
// SNAG-CC: gcc | clang
// LIBRARY:
// LINK-LIBRARY:
// OPTIONS: --contracts {dir}/library.contract
// A shared library of the user's: calls from outside, and its own calls.
#include <stdatomic.h>

void shelf_put(atomic_int *shelf);
void shelf_put_twice(atomic_int *shelf);

#ifdef LIBRARY
__attribute__((noinline)) void shelf_put(atomic_int *shelf)
{
    atomic_fetch_add_explicit(shelf, 1, memory_order_relaxed);
}

void shelf_put_twice(atomic_int *shelf)
{
    shelf_put(shelf);
    shelf_put(shelf);
}
#else
#include <stdio.h>

#include "together.h"

static void *inside(void *shelf)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        shelf_put_twice(shelf);
        UNLOCK;
    }
    return 0;
}

static void *outside(void *shelf)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        shelf_put(shelf);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    static atomic_int shelf;
    together(inside, outside, &shelf);
    puts("done");
    return 0;
}
#endif
