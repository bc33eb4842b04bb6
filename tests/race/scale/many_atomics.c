// 100,000 atomics, each a hand-over of its own.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdatomic.h>
#include "invisible.h"

enum { N = 100000 };
static atomic_char flag[N];
int data[N];
static long sum;

static void first(void)
{
    for (int i = 0; i < N; i++) { // RACE1
        data[i] = i;              // RACE1
        atomic_store_explicit(
            &flag[i], 1,
            PICK(i == 77777 ? memory_order_relaxed : memory_order_release, memory_order_release));
    }
}

static void second(void)
{
    for (int i = 0; i < 77778; i++)
        if (atomic_load_explicit(&flag[i], memory_order_acquire)) // RACE2
            sum += data[i];                                       // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return sum != 77777l * 77778 / 2;
}
