// Accesses of 1, 2, 4 and 8 bytes, each to a variable of its own.
// EXPECT: data-race ONE/write/1 ALSO_ONE/read/1
// EXPECT-OBJECT: global one
// EXPECT: data-race TWO/write/2 ALSO_TWO/read/2
// EXPECT-OBJECT: global two
// EXPECT: data-race FOUR/write/4 ALSO_FOUR/read/4
// EXPECT-OBJECT: global four
// EXPECT: data-race EIGHT/write/8 ALSO_EIGHT/read/8
// EXPECT-OBJECT: global eight
// PEER: tsan may-miss: more accesses of one granule than it has cells
#include <stdint.h>
#include "invisible.h"

uint8_t one, seen_one;
uint16_t two, seen_two;
uint32_t four, seen_four;
uint64_t eight, seen_eight;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void first(void)
{
    FIX(pthread_rwlock_wrlock(&lock));
    one = 1;   // ONE
    two = 2;   // TWO
    four = 4;  // FOUR
    eight = 8; // EIGHT
    FIX(pthread_rwlock_unlock(&lock));
}

static void second(void)
{
    FIX(pthread_rwlock_rdlock(&lock));
    seen_one = one;     // ALSO_ONE
    seen_two = two;     // ALSO_TWO
    seen_four = four;   // ALSO_FOUR
    seen_eight = eight; // ALSO_EIGHT
    FIX(pthread_rwlock_unlock(&lock));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
