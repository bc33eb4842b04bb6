// 16-byte atomics publish like the others.
// FLAGS: -mcx16
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include "invisible.h"

int data[4], sum;
_Alignas(16) __int128 store, added, swapped, exchanged;
#define RELEASE PICK(__ATOMIC_RELAXED, __ATOMIC_RELEASE)

__attribute__((noinline)) static void put(int n)
{
    data[n] = 1; // RACE1
}

__attribute__((noinline)) static void get(int n)
{
    sum += data[n]; // RACE2
}

static void first(void)
{
    __int128 zero = 0;
    put(0), __atomic_store_n(&store, 1, RELEASE);
    put(1), __atomic_fetch_add(&added, 1, RELEASE);
    put(2), __atomic_compare_exchange_n(&swapped, &zero, 1, 0, RELEASE, __ATOMIC_RELAXED);
    put(3), __atomic_exchange_n(&exchanged, 1, RELEASE);
}

static void second(void)
{
    __int128 one = 1;
    if (__atomic_load_n(&store, __ATOMIC_ACQUIRE) == 1)
        get(0);
    if (__atomic_fetch_or(&added, 0, __ATOMIC_ACQUIRE) == 1)
        get(1);
    if (__atomic_compare_exchange_n(&swapped, &one, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        get(2);
    if (__atomic_exchange_n(&exchanged, 2, __ATOMIC_ACQUIRE) == 1)
        get(3);
}

int main(void)
{
    run_in_order(first, second);
    return sum - 4;
}
