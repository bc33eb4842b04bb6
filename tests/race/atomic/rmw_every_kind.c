// add, sub, or, xor, and, nand, exchange on 1, 2, 4 and 8 bytes: each one publishes a slot.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdint.h>
#include "invisible.h"

enum { SLOTS = 28 };
int data[SLOTS], sum;
uint8_t one[7];
uint16_t two[7];
uint32_t four[7];
uint64_t eight[7];

#define EACH(STEP, a, order)                                                                       \
    STEP(__atomic_fetch_add(&a[0], 1, order))                                                      \
    STEP(__atomic_fetch_sub(&a[1], 1, order))                                                      \
    STEP(__atomic_fetch_or(&a[2], 1, order))                                                       \
    STEP(__atomic_fetch_xor(&a[3], 1, order))                                                      \
    STEP(__atomic_fetch_and(&a[4], 1, order))                                                      \
    STEP(__atomic_fetch_nand(&a[5], 1, order))                                                     \
    STEP(__atomic_exchange_n(&a[6], 1, order))

__attribute__((noinline)) static void put(int n)
{
    data[n] = 1; // RACE1
}

__attribute__((noinline)) static void get(int n)
{
    sum += data[n]; // RACE2
}

#define RELEASE PICK(__ATOMIC_RELAXED, __ATOMIC_RELEASE)
#define PUT(operation) put(n++), operation;
#define GET(operation) (void)operation, get(n++);

static void first(void)
{
    int n = 0;
    EACH(PUT, one, RELEASE);
    EACH(PUT, two, RELEASE);
    EACH(PUT, four, RELEASE);
    EACH(PUT, eight, RELEASE);
}

static void second(void)
{
    int n = 0;
    EACH(GET, one, __ATOMIC_ACQUIRE);
    EACH(GET, two, __ATOMIC_ACQUIRE);
    EACH(GET, four, __ATOMIC_ACQUIRE);
    EACH(GET, eight, __ATOMIC_ACQUIRE);
}

int main(void)
{
    run_in_order(first, second);
    return sum - SLOTS;
}
