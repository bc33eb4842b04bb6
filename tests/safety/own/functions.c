// EXPECT: box_get box_put
// EXPECT-STACK: fill
// EXPECT-OBJECT: box
// ALLOW: box_put box_put
// SNAG-CC: gcc | gcc -fcf-protection=full | clang | gcc -no-pie
// OPTIONS: --contracts {dir}/functions.contract
// Functions of the program itself, one of them static. All memory is atomic, so that there is no data race: the two
// halves of a box do not belong together any more.
#include <stdio.h>

#include "together.h"

struct box {
    atomic_int number, twice;
};

__attribute__((noinline)) static void box_put(struct box *b, int n)
{
    atomic_store_explicit(&b->number, n, memory_order_relaxed);
    atomic_store_explicit(&b->twice, 2 * n, memory_order_relaxed);
}

__attribute__((noinline)) int box_get(struct box *b)
{
    return atomic_load_explicit(&b->number, memory_order_relaxed) +
           atomic_load_explicit(&b->twice, memory_order_relaxed);
}

static void *fill(void *b)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        box_put(b, i);
        UNLOCK;
    }
    return 0;
}

static void *look(void *b)
{
    static atomic_int sum;
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        atomic_fetch_add(&sum, box_get(b));
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    struct box b = {0};
    together(fill, look, &b);
    puts("done");
    return 0;
}
